import { AppError, messageOf } from "../contract/app-error.ts";
import type { DeadLetter } from "../contract/ports/bus.ts";
import type { Logger } from "../contract/ports/logger.ts";

/** Runs the fallback for a dead letter. Outages are rethrown, so that the bus retries; other errors are logged. */
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
    logger.error({ durable, subject, id, error: messageOf(error) }, "dead letter fallback failed");
  }
};
