import { AppError } from "../contract/app-error.ts";
import { type DeadLetter, deadLetterKey } from "../contract/ports/bus.ts";
import { type Clock, isoTime } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { QueuedMessage } from "./key-lanes.ts";

/** A message that becomes a dead letter. */
export interface DeadMessage {
  readonly subject: string;
  readonly durable: string;
  readonly message: QueuedMessage;
  /** The stored JSON. */
  readonly raw: string;
  readonly reason: string;
  readonly attempts: number;
}

/** Stores the message as a dead letter. Idempotent: a retry overwrites it. */
export const storeDeadLetter = async (
  { store, clock, logger }: { store: Store; clock: Clock; logger: Logger },
  { subject, durable, message, raw, reason, attempts }: DeadMessage,
): Promise<DeadLetter> => {
  const { id, key } = message;
  logger.error({ durable, id, attempts, reason }, "dead letter stored");
  const letter: DeadLetter = {
    subject,
    durable,
    id,
    ...(key === undefined ? {} : { key }),
    message: jsonOrText(raw),
    reason: reason.slice(0, 2_000),
    attempts,
    publishedAt: isoTime(message.publishedAt),
    deadAt: isoTime(clock.now()),
  };
  try {
    await store.put(deadLetterKey(durable, id), letter);
    return letter;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "too-large") throw error;
  }
  // Only a message of a foreign publisher can be too large. It is truncated, so that it does not block its key forever.
  const truncated = {
    ...letter,
    message: raw.slice(0, MAX_TRUNCATED_CHARS),
    reason: `${letter.reason} (truncated from ${raw.length} characters)`,
  };
  await store.put(deadLetterKey(durable, id), truncated);
  return truncated;
};

const MAX_TRUNCATED_CHARS = 20_000;

const jsonOrText = (raw: string): unknown => {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
};
