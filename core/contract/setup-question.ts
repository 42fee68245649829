/** Something that `mooring init` asks about a channel or a model provider. */
export interface SetupQuestion {
  /** The flag that answers it on the command line. Providers may share one. */
  readonly flag: string;
  readonly message: string;
  /** Path of the setting below the channel or model. Absent: the answer only decides which questions follow. */
  readonly setting?: readonly string[];
  /** The variable of the environment that holds the answer, which is a secret. */
  readonly env?: string;
  /** Without choices the answer is text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The meaning of an empty answer. Without it the question must be answered, unless it is optional. */
  readonly otherwise?: string;
  readonly optional?: boolean;
  readonly example?: string;
  /** Asked only if an earlier question has this answer. */
  readonly after?: { readonly flag: string; readonly answer: string };
  /** The value of the setting; by default the answer itself. */
  toValue?(answer: string): unknown;
}

/** The parts of an answer that lists several, separated by commas. */
export const listed = (answer: string | undefined): string[] =>
  (answer ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
