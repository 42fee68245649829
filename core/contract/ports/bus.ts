import { z } from "zod";
import { collection, keyOf, prefixOf } from "./store.ts";
import type { Subject } from "./subject.ts";

/** The result of a handler. Only an ack or a dead letter completes the message. */
export type Outcome = { ack: true } | { retryInMs: number } | { deadLetter: string } | { wait: Wait };

/** The message is not due: it runs again when woken. This run does not count as an attempt and costs no write. */
export interface Wait {
  /** Calls `wake` when the message may be due, also if it is already due. The result cancels it. */
  wokenBy(wake: () => void): () => void;
  /** The message runs again after this time, also if nothing wakes it. */
  readonly atMostMs: number;
}

export const ack: Outcome = { ack: true };

export interface Received {
  /** The id that the publisher gave it. */
  readonly id: string;
  /** 1 for the first run; grows with each retry, also after a crash. */
  readonly attempt: number;
  /** Earlier runs that ended without an outcome. Requested retries and outages do not count. */
  readonly failures: number;
  /** Wall clock, milliseconds. */
  readonly publishedAt: number;
}

/**
 * A handler that throws is retried with backoff; after MAX_FAILURES runs without an outcome the message is a dead letter.
 * "unavailable" and "stopped" are not faults of the message: it is retried until there is an outcome.
 */
export type Handler<T> = (message: T, received: Received) => Promise<Outcome>;

export interface ConsumeOptions<T = unknown> {
  /** Consumers with the same durable name share the work, in any number of processes. */
  readonly durable: string;
  /** Maximum number of handlers of this consumer that run at once; at least 1. */
  readonly concurrency: number;
  /** The start of a new durable: with the stored messages (the default), or with future ones only. */
  readonly from?: "start" | "now";
  /**
   * Called at least once for each dead letter, also for a message that crashed its process each time. The message ends
   * when this resolves and is retried while it rejects. Undefined: the message does not parse.
   */
  onDeadLetter?(message: T | undefined, letter: DeadLetter): Promise<void>;
}

export interface Consumer {
  /** Takes no further message, waits for the running handlers, then releases the rest to other consumers. */
  close(): Promise<void>;
}

export interface Listener {
  close(): void;
}

export interface PublishOptions {
  readonly id: string;
  /** Messages with the same key are handled one at a time, in order. Without one: no order. */
  readonly key?: string;
}

/** "repeated": a duplicate id. After a lost connection it may be the first attempt of the same publish. */
export type PublishOutcome = "stored" | "repeated";

export interface Bus {
  /**
   * Stored when it resolves. The bus drops a duplicate id within two minutes and reports it in the outcome; the handler
   * must recognise later duplicates.
   */
  publish<T>(subject: Subject<T>, message: T, options: PublishOptions): Promise<PublishOutcome>;
  /** At least once. Messages with the same key run one at a time, in order, retries included; they never delay other keys. */
  consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer>;
  /** Not stored, may be lost: text deltas, typing, new log entries. */
  signal<T>(subject: Subject<T>, message: T): void;
  /** Resolves once the listener receives signals. */
  listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener>;
}

/** A message that no handler could complete. The store keeps it until an operator retries or dismisses it. */
export const DeadLetter = z.looseObject({
  subject: z.string(),
  durable: z.string(),
  id: z.string(),
  key: z.string().optional(),
  /** The message as it was stored; text if it is not JSON. */
  message: z.unknown(),
  reason: z.string(),
  attempts: z.number().int(),
  publishedAt: z.iso.datetime(),
  deadAt: z.iso.datetime(),
});
export type DeadLetter = z.infer<typeof DeadLetter>;

const deadLetters = collection("dead-letters", DeadLetter);

export const deadLetterKey = (durable: string, messageId: string) => keyOf(deadLetters, durable, messageId);
export const allDeadLetters = (durable?: string) =>
  durable === undefined ? prefixOf(deadLetters) : prefixOf(deadLetters, durable);

/** In bytes of JSON; `publish` rejects a larger message with "too-large". */
export const MAX_MESSAGE_BYTES = 500_000;
/** `publish` rejects a longer id with "too-large": with its durable and subject it must fit into a key of the store. */
export const MAX_ID_LENGTH = 500;
/** After this many runs without an outcome (a throw, a crash) a message is a dead letter. */
export const MAX_FAILURES = 5;
/** The time for which the bus recognises a duplicate id. */
export const DUPLICATE_WINDOW_MS = 120_000;
/** The retention time of a stored message, handled or not. */
export const RETENTION_MS = 7 * 24 * 3_600_000;
