import type { Setting } from "../../../config/index.ts";
import type { SetupQuestion } from "../../../core/contract/setup-question.ts";

/** By the name of the question's flag. Where several can be chosen, they are separated by commas. */
export type Answers = ReadonlyMap<string, string>;

/** Something the wizard asks, and the command line's flag that answers it beforehand. */
export interface Question {
  readonly flag: string;
  readonly message: string;
  /** One of them, or with `several` any number. Without it the answer is text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly several?: boolean;
  /** Not shown while it is typed, and kept out of the configuration. */
  readonly secret?: boolean;
  /** What an empty answer means. Without it the question must be answered, unless it is optional. */
  readonly otherwise?: string;
  readonly optional?: boolean;
  readonly example?: string;
  /** Asked only then. */
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
