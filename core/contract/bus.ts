import type { DeadLetter } from "./dead-letter.ts";
import type { Subject } from "./subject.ts";

/** What a handler makes of a message. Only an ack, or a dead letter, ends it. */
export type Outcome = { ack: true } | { retryInMs: number } | { deadLetter: string } | { wait: Wait };

/** Its time has not come: it is run again once woken. This run counts as none, and costs no write. */
export interface Wait {
  /** Called back once it may have come, also if that was before the call. The result ends it. */
  wokenBy(wake: () => void): () => void;
  /** How soon it is looked at again if nothing wakes it. */
  readonly atMostMs: number;
}

export const ack: Outcome = { ack: true };

export interface Received {
  /** The id it was published with. */
  readonly id: string;
  /** 1 for the first run; grows with each retry, also when a run ended with the death of its process. */
  readonly attempt: number;
  /** Runs before it that ended without an outcome. Those that were put back, or met an outage, are none. */
  readonly failures: number;
  /** Wall clock, milliseconds. */
  readonly publishedAt: number;
}

/**
 * A handler that throws is run again with growing pauses; after MAX_FAILURES runs without an outcome: dead letter.
 * "unavailable" and "stopped" are no fault of the message: it is run again until there is an outcome.
 */
export type Handler<T> = (message: T, received: Received) => Promise<Outcome>;

export interface ConsumeOptions<T = unknown> {
  /** Consumers with the same durable name share the work, in any number of processes. */
  readonly durable: string;
  /** How many handlers of this consumer run at once: 1 or more. */
  readonly concurrency: number;
  /** Where a durable that is new begins: with what is stored already (the default), or with what comes from now on. */
  readonly from?: "start" | "now";
  /**
   * A message has become a dead letter, by whatever way, also one that killed its process every time. At least once;
   * the message ends when this resolves and is kept back as long as it rejects. Undefined: it does not parse.
   */
  buried?(message: T | undefined, letter: DeadLetter): Promise<void>;
}

export interface Consumer {
  /** Takes no further message, waits for the handlers under way, then gives the rest to others. */
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

/** "repeated": its id was there. After a lost connection that may be the very message's own first attempt. */
export type PublishOutcome = "stored" | "repeated";

export interface Bus {
  /**
   * Stored when it resolves. A repeated id within two minutes is stored once, and may be told from a first one by the
   * outcome; later repeats are the handler's to recognise.
   */
  publish<T>(subject: Subject<T>, message: T, options: PublishOptions): Promise<PublishOutcome>;
  /** At least once. Messages with the same key: one at a time, in order, retries included; another key is never held up. */
  consume<T>(subject: Subject<T>, options: ConsumeOptions<T>, handle: Handler<T>): Promise<Consumer>;
  /** Not stored, may be lost: text deltas, typing, "look at the log". */
  signal<T>(subject: Subject<T>, message: T): void;
  /** Resolves once signals sent from then on are heard. */
  listen<T>(subject: Subject<T>, handle: (message: T) => void): Promise<Listener>;
}

/** A larger message is refused by publish with "too-large"; bytes of JSON. */
export const MAX_MESSAGE_BYTES = 500_000;
/** A longer id is refused by publish with "too-large": with its durable and subject it must fit into a key of the store. */
export const MAX_ID_LENGTH = 500;
/** Runs of one message that may end without an outcome (a throw, a dead process) before it is a dead letter. */
export const MAX_FAILURES = 5;
/** How long a repeated id is recognised by the bus itself. */
export const DUPLICATE_WINDOW_MS = 120_000;
/** How long a stored message is kept, handled or not. */
export const RETENTION_MS = 7 * 24 * 3_600_000;
