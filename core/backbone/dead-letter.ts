import { AppError } from "../contract/app-error.ts";
import { type DeadLetter, deadLetterKey } from "../contract/bus.ts";
import type { Clock } from "../contract/clock.ts";
import { isoTime } from "../contract/clock.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { QueuedMessage } from "./queued-message.ts";

export interface DeadMessage {
  readonly subject: string;
  readonly durable: string;
  readonly message: QueuedMessage;
  /** As it was stored. */
  readonly raw: string;
  readonly reason: string;
  readonly attempts: number;
}

/** Keeps the message as a dead letter. Doing it again writes it again. */
export const storeDeadLetter = async (
  { store, clock, logger }: { store: Store; clock: Clock; logger: Logger },
  { subject, durable, message, raw, reason, attempts }: DeadMessage,
): Promise<DeadLetter> => {
  const { id, key } = message;
  logger.error({ durable, id, attempts, reason }, "dead letter");
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
  // Only what somebody else put on the bus can be too large. It must not stay at the head of its queue for ever.
  const cut = {
    ...letter,
    message: raw.slice(0, KEPT_CHARS),
    reason: `${letter.reason} (cut: ${raw.length} characters)`,
  };
  await store.put(deadLetterKey(durable, id), cut);
  return cut;
};

const KEPT_CHARS = 20_000;

const jsonOrText = (raw: string): unknown => {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
};
