import { AppError } from "../../../core/contract/app-error.ts";
import { listed } from "../../../core/contract/setup-question.ts";
import type { Answers, Question } from "./question.ts";

/** Asks a person. An empty answer means the default. */
export type Ask = (question: Question) => Promise<string>;

/** Flags take precedence over the person, and the person over defaults. Throws with every missing or invalid flag. */
export const collectAnswers = async (
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
    const said = given.get(flag) ?? (await ask?.(question)) ?? "";
    const answer = said.trim() === "" ? otherwise : said.trim();
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
