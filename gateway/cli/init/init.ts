import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import {
  type AvailableAdapter,
  builtInAdapters,
  ConfigInvalid,
  ENV_FILE,
  parseConfig,
  type StarterFiles,
  spellPath,
  starterConfig,
} from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import { type Answers, type Question, questionsFor } from "./questions.ts";

interface InitOptions {
  readonly output: string;
  readonly force: boolean;
  /** Answers from the command line. */
  readonly given: Answers;
  /** Absent: the process has no terminal. */
  readonly ask?: Ask;
  /** Adapters from outside that the person named. */
  readonly foreign?: readonly AvailableAdapter[];
  /** How the person runs Mooring, for the next steps. */
  readonly program?: string;
  print(text: string): void;
}

/** Asks, writes a valid configuration, and prints the next steps. Invalid answers are asked again, or rejected. */
export const init = async ({
  output,
  force,
  given,
  ask,
  foreign = [],
  program = "mooring",
  print,
}: InitOptions): Promise<WrittenFiles> => {
  if (!force && existsSync(output)) throw alreadyExists(output);
  const questions = questionsFor(foreign);
  const problemsOf = (answers: Answers) => problemsIn(questions, answers, foreign);
  let answers = await collectAnswers(questions, given, ask);
  for (let wrong = problemsOf(answers); wrong.length > 0; wrong = problemsOf(answers)) {
    const text = wrong.map(({ question, message }) => `  --${question.flag}: ${message}`).join("\n");
    if (ask === undefined) throw new AppError("bad-configuration", `the answers have problems:\n${text}`);
    print(`\nThis configuration would not run. Please answer again:\n${text}\n`);
    const flags = wrong.map(({ question }) => question.flag);
    const right = new Map([...answers].filter(([flag]) => !flags.includes(flag)));
    answers = await collectAnswers(questions, right, async (question) =>
      flags.includes(question.flag) ? ask(question) : "",
    );
  }
  const written = await writeFiles(output, filesOf(questions, answers), force);
  print(nextSteps(program, written, answers, [...builtInAdapters, ...foreign]));
  return written;
};

const asked = (questions: readonly Question[], answers: Answers): [Question, string][] =>
  questions.flatMap((question): [Question, string][] => {
    const answer = answers.get(question.flag);
    return answer === undefined || question.when?.(answers) === false ? [] : [[question, answer]];
  });

const filesOf = (questions: readonly Question[], answers: Answers): StarterFiles =>
  starterConfig(asked(questions, answers).flatMap(([question, answer]) => question.settings(answer)));

/** Validates the files with the product's own parser, so that the wizard needs no rules. */
const problemsIn = (
  questions: readonly Question[],
  answers: Answers,
  foreign: readonly AvailableAdapter[],
): { question: Question; message: string }[] => {
  const { yaml, env: text } = filesOf(questions, answers);
  const env = parseEnv(text) as Record<string, string>;
  const unwritable = asked(questions, answers).filter(([question, answer]) =>
    question.settings(answer).some((setting) => setting.env !== undefined && env[setting.env] !== setting.value),
  );
  if (unwritable.length > 0) return unwritable.map(([question]) => ({ question, message: UNWRITABLE }));
  try {
    parseConfig(
      { file: "the configuration", text: yaml, env },
      new Map(foreign.map((adapter) => [adapter.name, { adapter }])),
    );
    return [];
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.problems.map(({ path, message }) => {
      const found = asked(questions, answers).find(([question, answer]) =>
        question.settings(answer).some((setting) => isAt(path, spellPath(setting.path))),
      );
      if (found === undefined) throw error;
      return { question: found[0], message };
    });
  }
};

const UNWRITABLE = "cannot be stored in an env file: it contains a line break, or all kinds of quotes";

const isAt = (path: string, setting: string): boolean =>
  path === setting || path.startsWith(`${setting}.`) || path.startsWith(`${setting}[`);

const nextSteps = (
  program: string,
  { config, env }: WrittenFiles,
  answers: Answers,
  adapters: readonly AvailableAdapter[],
): string => {
  const channels = listed(answers.get("channels"));
  const guides = adapters.flatMap(({ definition: { id, guide } }) =>
    guide !== undefined && channels.includes(id) ? [guide] : [],
  );
  return [
    "",
    `Wrote ${config}${env === undefined ? "" : `, and the secrets to ${env}, which only you can read`}. Next:`,
    "",
    `  ${program} check --live --config ${config}    checks that all services answer`,
    `  ${program} start --config ${config}           starts Mooring; then open http://localhost:${answers.get("port")}`,
    ...guides.map((guide) => `  ${guide} explains the setup on the platform`),
    "",
  ].join("\n");
};

/** Asks a person. An empty answer means the default. */
export type Ask = (question: Question) => Promise<string>;

/** Flags take precedence over the person, and the person over defaults. Throws with every missing or invalid flag. */
const collectAnswers = async (
  questions: readonly Question[],
  given: Answers,
  ask: Ask | undefined,
): Promise<Answers> => {
  const answers = new Map<string, string>();
  const problems: string[] = [];
  const unused = new Set(given.keys());
  for (const question of questions) {
    if (question.when?.(answers) === false) continue;
    const { flag, otherwise, optional } = question;
    unused.delete(flag);
    const typed = given.get(flag) ?? (await ask?.(question)) ?? "";
    const answer = typed.trim() === "" ? otherwise : typed.trim();
    const problem = answer === undefined ? missing(optional) : notAChoice(question, answer);
    if (problem !== undefined) problems.push(`  --${flag}: ${problem} (${question.message})`);
    else if (answer !== undefined) answers.set(flag, answer);
  }
  problems.push(...[...unused].map((flag) => `  --${flag}: does not apply to the other answers`));
  if (problems.length > 0)
    throw new AppError("bad-configuration", `the answers have problems:\n${problems.join("\n")}`);
  return answers;
};

const missing = (optional = false): string | undefined => (optional ? undefined : "is missing");

const notAChoice = ({ choices, several = false }: Question, answer: string): string | undefined => {
  if (choices === undefined) return undefined;
  const known = choices.map(({ value }) => value);
  const chosen = several ? listed(answer) : [answer];
  return chosen.every((one) => known.includes(one))
    ? undefined
    : `must be ${several ? "some" : "one"} of ${known.join(", ")}`;
};

export interface WrittenFiles {
  readonly config: string;
  /** Only its owner may read it. Absent without secrets. */
  readonly env?: string;
}

export const alreadyExists = (file: string): AppError =>
  new AppError(
    "bad-configuration",
    `${file} already exists: choose another file with --output, or overwrite it with --force`,
  );

/** Replaces an existing configuration only with `force`. Keeps unrelated lines of the env file. */
export const writeFiles = async (file: string, { yaml, env }: StarterFiles, force: boolean): Promise<WrittenFiles> => {
  try {
    await writeFile(file, yaml, { flag: force ? "w" : "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") throw alreadyExists(file);
    throw new AppError("bad-configuration", `could not write ${file} (${code}): choose another file with --output`);
  }
  if (env === "") return { config: file };
  const envFile = join(dirname(file), ENV_FILE);
  const before = await readFile(envFile, "utf8").catch(() => "");
  await writeFile(envFile, `${withoutNamesOf(env, before)}${env}`, { mode: 0o600 });
  await chmod(envFile, 0o600);
  return { config: file, env: envFile };
};

const withoutNamesOf = (env: string, before: string): string => {
  const names = new Set(env.split("\n").map(nameOf));
  const remaining = before.split("\n").filter((line) => line === "" || !names.has(nameOf(line)));
  const text = remaining.join("\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
};

const nameOf = (line: string): string => line.split("=")[0]?.trim() ?? "";
