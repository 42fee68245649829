import { hash } from "node:crypto";

/**
 * The id of the subtask that a call asks for, always the same. `next` is another one, if somebody else has that. Those of
 * one call lie side by side: to write them the store then touches one page of its index, and not one for each.
 */
export const subtaskIdOf = (callKey: string, next = 0): string => {
  const end = callKey.lastIndexOf("/");
  const place = Number(callKey.slice(end + 1))
    .toString(16)
    .padStart(2, "0");
  const call = hash("sha256", JSON.stringify([callKey.slice(0, end), next]), "hex");
  return `subtask-${call.slice(0, 8 - place.length)}${place}`;
};
