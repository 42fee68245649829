import { parseEnv } from "node:util";
import {
  type AvailableAdapter,
  ConfigInvalid,
  parseConfig,
  type StarterFiles,
  spellPath,
  starterConfig,
} from "../../../config/index.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { Answers, Question } from "./questions.ts";

interface AnswerProblem {
  /** Absent: no answer caused it. */
  readonly question?: Question;
  readonly message: string;
}

export const filesOf = (questions: readonly Question[], answers: Answers): StarterFiles =>
  starterConfig(asked(questions, answers).flatMap(([question, answer]) => question.settings(answer)));

const asked = (questions: readonly Question[], answers: Answers): [Question, string][] =>
  questions.flatMap((question): [Question, string][] => {
    const answer = answers.get(question.flag);
    return answer === undefined || question.when?.(answers) === false ? [] : [[question, answer]];
  });

/** Validates the files with the product's own parser, so that the wizard needs no rules. */
export const problemsIn = (
  questions: readonly Question[],
  answers: Answers,
  foreign: readonly AvailableAdapter[],
): AnswerProblem[] => {
  const { yaml, env: text } = filesOf(questions, answers);
  const env = parseEnv(text) as Record<string, string>;
  const unwritable = asked(questions, answers).filter(([question, answer]) =>
    question.settings(answer).some((setting) => setting.env !== undefined && env[setting.env] !== setting.value),
  );
  if (unwritable.length > 0) return unwritable.map(([question]) => ({ question, message: UNWRITABLE }));
  try {
    const adapters = new Map(foreign.map((adapter) => [adapter.name, { adapter }]));
    parseConfig({ file: "the configuration", text: yaml, env }, adapters);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    return error.problems.map(({ path, message }) => {
      const found = asked(questions, answers).find(([question, answer]) =>
        question.settings(answer).some((setting) => isAt(path, spellPath(setting.path))),
      );
      return found === undefined ? { message: `${path}: ${message}` } : { question: found[0], message };
    });
  }
};

/** The problem of one answer while later questions are open: only rules about this answer count. */
export const problemOf = (
  question: Question,
  answer: string,
  {
    questions,
    answers,
    foreign,
  }: { questions: readonly Question[]; answers: Answers; foreign: readonly AvailableAdapter[] },
): string | undefined => {
  const notOffered = notAChoice(question, answer);
  if (notOffered !== undefined) return notOffered;
  const soFar = new Map([...answers, [question.flag, answer]]);
  return problemsIn(questions, soFar, foreign).find((problem) => problem.question?.flag === question.flag)?.message;
};

export const notAChoice = ({ choices, several = false }: Question, answer: string): string | undefined => {
  if (choices === undefined) return undefined;
  const known = choices.map(({ value }) => value);
  const chosen = several ? listed(answer) : [answer];
  return chosen.every((one) => known.includes(one))
    ? undefined
    : `must be ${several ? "some" : "one"} of ${known.join(", ")}`;
};

const UNWRITABLE = "cannot be stored in an env file: it contains a line break, or all kinds of quotes";

const isAt = (path: string, setting: string): boolean =>
  path === setting || path.startsWith(`${setting}.`) || path.startsWith(`${setting}[`);
