/** A question of `mooring init` about a channel or a model provider. */
export interface SetupQuestion {
  /** The flag that answers it on the command line. Providers may share one. */
  readonly flag: string;
  readonly message: string;
  /** Path of the setting below the channel or model. Absent: the answer only decides which questions follow. */
  readonly setting?: readonly string[];
  /** The environment variable for the answer, if the answer is a secret. */
  readonly env?: string;
  /** Without choices the answer is text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The value of an empty answer. Without it the question needs an answer, unless it is optional. */
  readonly otherwise?: string;
  readonly optional?: boolean;
  readonly example?: string;
  /** Asked only if an earlier question has this answer. */
  readonly after?: { readonly flag: string; readonly answer: string };
  /** The value of the setting; by default the answer itself. */
  toValue?(answer: string): unknown;
}

/** The parts of a comma-separated answer. */
export const listed = (answer: string | undefined): string[] =>
  (answer ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
