interface Word {
  readonly type: string;
  readonly priority?: string | undefined;
  readonly id: string;
  readonly name: string;
}

/** How a word of a subtask begins for the model of its owner (S6). */
export const wordHeading = ({ type, priority = "normal", id, name }: Word): string =>
  `[${type} from ${id} "${name}"${priority === "normal" ? "" : `, priority ${priority}`}]`;
