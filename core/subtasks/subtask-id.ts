import { hash } from "node:crypto";

/** The id of the subtask that a call asks for, always the same. `next` is another one, if somebody else has that. */
export const subtaskIdOf = (callKey: string, next = 0): string =>
  `subtask-${hash("sha256", JSON.stringify([callKey, next]), "hex").slice(0, 8)}`;
