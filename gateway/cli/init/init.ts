import { existsSync } from "node:fs";
import { parseEnv } from "node:util";
import { adapters } from "../../../adapters/adapter-list.ts";
import { ConfigInvalid, parseConfig, type StarterFiles, spellPath, starterConfig } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import { type Ask, collectAnswers } from "./collect-answers.ts";
import type { Answers, Question } from "./question.ts";
import { questions } from "./questions.ts";
import { alreadyExists, type WrittenFiles, writeFiles } from "./write-files.ts";

export interface InitOptions {
  readonly output: string;
  readonly force: boolean;
  /** Answers from the command line. */
  readonly given: Answers;
  /** Absent: the process has no terminal. */
  readonly ask?: Ask;
  say(text: string): void;
}

/** Asks, writes a valid configuration, and prints the next steps. Invalid answers are asked again, or rejected. */
export const init = async ({ output, force, given, ask, say }: InitOptions): Promise<WrittenFiles> => {
  if (!force && existsSync(output)) throw alreadyExists(output);
  let answers = await collectAnswers(questions, given, ask);
  for (let wrong = problemsOf(answers); wrong.length > 0; wrong = problemsOf(answers)) {
    const text = wrong.map(({ question, message }) => `  --${question.flag}: ${message}`).join("\n");
    if (ask === undefined) throw new AppError("bad-configuration", `the answers have problems:\n${text}`);
    say(`\nThis configuration would not run:\n${text}\n`);
    const flags = wrong.map(({ question }) => question.flag);
    const right = new Map([...answers].filter(([flag]) => !flags.includes(flag)));
    answers = await collectAnswers(questions, right, async (question) =>
      flags.includes(question.flag) ? ask(question) : "",
    );
  }
  const written = await writeFiles(output, filesOf(answers), force);
  say(nextSteps(written, answers));
  return written;
};

const asked = (answers: Answers): [Question, string][] =>
  questions.flatMap((question): [Question, string][] => {
    const answer = answers.get(question.flag);
    return answer === undefined || question.when?.(answers) === false ? [] : [[question, answer]];
  });

const filesOf = (answers: Answers): StarterFiles =>
  starterConfig(asked(answers).flatMap(([question, answer]) => question.settings(answer)));

/** The product's own check of the file decides, so the wizard knows no rules of its own. */
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

const nextSteps = ({ config, env }: WrittenFiles, answers: Answers): string => {
  const wanted = listed(answers.get("channels"));
  const guides = adapters.flatMap(({ id, guide }) => (guide !== undefined && wanted.includes(id) ? [guide] : []));
  return [
    "",
    `Written: ${config}${env === undefined ? "" : `, and the secrets in ${env}, which only you can read`}`,
    "",
    `  mooring check --live --config ${config}    checks that all services answer`,
    `  mooring start --config ${config}           starts it; then open http://localhost:${answers.get("port")}`,
    ...guides.map((guide) => `  ${guide} explains the setup on the platform`),
    "",
  ].join("\n");
};
