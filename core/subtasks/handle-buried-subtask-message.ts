import type { DeadLetter } from "../contract/dead-letter.ts";
import type { SubtaskMessage } from "../contract/subtask-message.ts";
import { hearEnd } from "./hear-end.ts";
import { lastResort } from "./last-resort.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/**
 * A word to an owner that could not be heard. An end is counted all the same, or everybody would wait for it until the
 * ceiling (S7). Whoever asked something goes on without an answer when its wait is over.
 */
export const handleBuriedSubtaskMessage = async (
  parts: SubtaskParts,
  message: SubtaskMessage | undefined,
  letter: DeadLetter,
): Promise<void> => {
  if (message?.type === "completion") await lastResort(parts.logger, letter, () => hearEnd(parts, message));
};
