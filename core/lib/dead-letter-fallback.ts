import { AppError, messageOf } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/dead-letter.ts";
import type { Logger } from "../contract/logger.ts";

/** What is still done for a dead letter. An outage is waited out; if it fails otherwise, the letter is all that is left. */
export const deadLetterFallback = async (
  logger: Logger,
  letter: DeadLetter,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError && (error.code === "unavailable" || error.code === "stopped")) throw error;
    const { durable, subject, id } = letter;
    logger.error({ durable, subject, id, error: messageOf(error) }, "nothing could be done for a dead letter");
  }
};
