import { existsSync } from "node:fs";
import { parseEnv } from "node:util";
import { adapters } from "../../../adapters/adapter-list.ts";
import { ConfigInvalid, parseConfig, type StarterFiles, spellPath, starterConfig } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import { type Answers, type Question, questions } from "./questions.ts";
import { alreadyExists, type WrittenFiles, writeFiles } from "./write-files.ts";

interface InitOptions {
  readonly output: string;
  readonly force: boolean;
  /** Answers from the command line. */
  readonly given: Answers;
  /** Absent: the process has no terminal. */
  readonly ask?: Ask;
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
  program = "mooring",
  print,
}: InitOptions): Promise<WrittenFiles> => {
  if (!force && existsSync(output)) throw alreadyExists(output);
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
  const written = await writeFiles(output, filesOf(answers), force);
  print(nextSteps(program, written, answers));
  return written;
};

const asked = (answers: Answers): [Question, string][] =>
  questions.flatMap((question): [Question, string][] => {
    const answer = answers.get(question.flag);
    return answer === undefined || question.when?.(answers) === false ? [] : [[question, answer]];
  });

const filesOf = (answers: Answers): StarterFiles =>
  starterConfig(asked(answers).flatMap(([question, answer]) => question.settings(answer)));

/** Validates the files with the product's own parser, so that the wizard needs no rules. */
const problemsOf = (answers: Answers): { question: Question; message: string }[] => {
  const { yaml, env: text } = filesOf(answers);
  const env = parseEnv(text) as Record<string, string>;
  const unwritable = asked(answers).filter(([question, answer]) =>
    question.settings(answer).some((setting) => setting.env !== undefined && env[setting.env] !== setting.value),
  );
  if (unwritable.length > 0) return unwritable.map(([question]) => ({ question, message: UNWRITABLE }));
  try {
    parseConfig({ file: "the configuration", text: yaml, env });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.problems.map(({ path, message }) => {
      const found = asked(answers).find(([question, answer]) =>
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

const nextSteps = (program: string, { config, env }: WrittenFiles, answers: Answers): string => {
  const channels = listed(answers.get("channels"));
  const guides = adapters.flatMap(({ id, guide }) => (guide !== undefined && channels.includes(id) ? [guide] : []));
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
