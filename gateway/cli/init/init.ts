import { existsSync } from "node:fs";
import { type AvailableAdapter, builtInAdapters } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { filesOf, notAChoice, problemOf, problemsIn } from "./check-answers.ts";
import { nextSteps } from "./next-steps.ts";
import { type Answers, type Question, questionsFor } from "./questions.ts";
import { alreadyExists, type EnvChange, envChange, type WrittenFiles, writeFiles } from "./write-files.ts";

/** The answer about an env file that is there already. */
export type EnvChoice = "update" | "keep";

interface InitOptions {
  readonly output: string;
  readonly force: boolean;
  /** Answers from the command line. */
  readonly given: Answers;
  /** Absent: the process has no terminal. */
  readonly ask?: Ask;
  /** From the command line. */
  readonly envFile?: EnvChoice | undefined;
  /** Adapters from outside that the person named. */
  readonly foreign?: readonly AvailableAdapter[];
  /** How the person runs Mooring, for the next steps. */
  readonly program?: string;
  print(text: string): void;
}

/** Asks a person. An empty answer means the default; `problemOf` says what is wrong with an answer. */
export type Ask = (question: Question, problemOf: (answer: string) => string | undefined) => Promise<string>;

/** Asks, writes a valid configuration, and prints the next steps. Invalid answers are asked again, or rejected. */
export const init = async ({
  output,
  force,
  given,
  ask,
  envFile,
  foreign = [],
  program = "mooring",
  print,
}: InitOptions): Promise<WrittenFiles> => {
  if (!force && existsSync(output)) throw alreadyExists(output);
  const questions = questionsFor(foreign);
  const collect = (known: Answers, asking: Ask | undefined) =>
    collectAnswers({ questions, given: known, foreign, ask: asking, print });
  let answers = await collect(given, ask);
  for (let wrong = problemsIn(questions, answers, foreign); wrong.length > 0; ) {
    const text = wrong
      .map(({ question, message }) => (question ? spelled(question, message) : `  ${message}`))
      .join("\n");
    const flags = wrong.flatMap(({ question }) => question?.flag ?? []);
    if (ask === undefined || flags.length === 0) throw new AppError("bad-configuration", `${PROBLEMS}\n${text}`);
    print(`\nThis configuration would not run. Please answer again:\n${text}\n`);
    const right = new Map([...answers].filter(([flag]) => !flags.includes(flag)));
    const isOpen = ({ flag, optional, otherwise }: Question) =>
      flags.includes(flag) || (!optional && otherwise === undefined);
    answers = await collect(right, async (question, check) => (isOpen(question) ? ask(question, check) : ""));
    wrong = problemsIn(questions, answers, foreign);
  }
  const files = filesOf(questions, answers);
  const change = await envChange(output, files);
  const keepEnv = change !== undefined && (envFile ?? (await askAboutEnv(change, ask))) === "keep";
  const written = await writeFiles(output, files, { force, keepEnv });
  print(nextSteps({ program, written, answers, adapters: [...builtInAdapters, ...foreign] }));
  return written;
};

const PROBLEMS = "the answers have problems:";

const spelled = ({ flag }: Question, message: string): string => `  --${flag}: ${message}`;

const askAboutEnv = async ({ file, added, replaced }: EnvChange, ask: Ask | undefined): Promise<string> => {
  const would = [
    ...(added.length > 0 ? [`add ${added.join(", ")}`] : []),
    ...(replaced.length > 0 ? [`replace ${replaced.join(", ")}`] : []),
  ].join(" and ");
  if (ask === undefined)
    throw new AppError(
      "bad-configuration",
      `${file} already exists, and this would ${would}: allow it with --existing-env update, or leave the file as it is ` +
        "with --existing-env keep",
    );
  const question: Question = {
    flag: "existing-env",
    message: `${file} already exists. May the wizard ${would} in it? Other lines stay.`,
    choices: [
      { value: "keep", label: "No: leave the file as it is; I set these variables myself" },
      { value: "update", label: "Yes: change the file" },
    ],
    otherwise: "keep",
    settings: () => [],
  };
  return (await ask(question, (answer) => notAChoice(question, answer))) || "keep";
};

interface Collecting {
  readonly questions: readonly Question[];
  readonly given: Answers;
  readonly foreign: readonly AvailableAdapter[];
  readonly ask: Ask | undefined;
  print(text: string): void;
}

/** Flags take precedence over the person, and the person over defaults. Throws with every missing or invalid flag. */
const collectAnswers = async ({ questions, given, foreign, ask, print }: Collecting): Promise<Answers> => {
  const answers = new Map<string, string>();
  const problems: string[] = [];
  const unused = new Set(given.keys());
  for (const question of questions) {
    if (question.when?.(answers) === false) continue;
    const { flag, otherwise, optional } = question;
    unused.delete(flag);
    const check = (text: string): string | undefined => {
      const meant = orDefault(text, otherwise);
      if (meant === undefined) return optional ? undefined : "is missing";
      return problemOf(question, meant, { questions, answers, foreign });
    };
    let typed = given.get(flag) ?? "";
    if (!given.has(flag) && ask !== undefined) {
      typed = await ask(question, check);
      for (let problem = check(typed); problem !== undefined; problem = check(typed)) {
        print(`${spelled(question, problem)}\n`);
        typed = await ask(question, check);
      }
    }
    const answer = orDefault(typed, otherwise);
    const problem = answer === undefined ? (optional ? undefined : "is missing") : notAChoice(question, answer);
    if (problem !== undefined) problems.push(`${spelled(question, problem)} (${question.message})`);
    else if (answer !== undefined) answers.set(flag, answer);
  }
  problems.push(...[...unused].map((flag) => `  --${flag}: does not apply to the other answers`));
  if (problems.length > 0) throw new AppError("bad-configuration", `${PROBLEMS}\n${problems.join("\n")}`);
  return answers;
};

const orDefault = (typed: string, otherwise: string | undefined): string | undefined =>
  typed.trim() === "" ? otherwise : typed.trim();
