import type { Setting } from "../../../config/index.ts";
import type { SetupQuestion } from "../../../core/contract/setup-question.ts";

/** By flag. Several choices are separated by commas. */
export type Answers = ReadonlyMap<string, string>;

/** A question of the wizard, with the flag that answers it on the command line. */
export interface Question {
  readonly flag: string;
  readonly message: string;
  /** The possible answers; with `several`, any number of them. Without choices the answer is text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly several?: boolean;
  /** Hidden while it is typed, and written to the env file instead of the configuration. */
  readonly secret?: boolean;
  /** The meaning of an empty answer. Without it the question must be answered, unless it is optional. */
  readonly otherwise?: string;
  readonly optional?: boolean;
  readonly example?: string;
  /** Asked only if this holds. */
  readonly when?: (answers: Answers) => boolean;
  readonly settings: (answer: string) => readonly Setting[];
}

/** The wizard's form of a question that a channel or a model provider asks about its settings at `path`. */
export const setupQuestion = (
  { setting, env, after, toValue = (answer) => answer, ...question }: SetupQuestion,
  path: Setting["path"],
  isWanted: (answers: Answers) => boolean,
): Question => ({
  ...question,
  ...(env !== undefined && { secret: true }),
  when: (answers) => isWanted(answers) && (after === undefined || answers.get(after.flag) === after.answer),
  settings: (answer) =>
    setting === undefined
      ? []
      : [{ path: [...path, ...setting], value: toValue(answer), ...(env !== undefined && { env }) }],
});
