import { z } from "zod";
import { messageOf } from "../contract/app-error.ts";
import { RETENTION_MS, type Received } from "../contract/ports/bus.ts";
import type { Logger } from "../contract/ports/logger.ts";
import { collection, keyOf, type Store } from "../contract/ports/store.ts";
import type { QueuedMessage } from "./key-lanes.ts";

/** The number of runs of a message that may have run before. A message that ends in its first run has no record. */
export const AttemptRecord = z.looseObject({
  attempts: z.number().int(),
  /** Consecutive runs that ended without an outcome: a throw, or a crash of the process. */
  failures: z.number().int(),
  lastError: z.string().optional(),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

const attempts = collection("bus-attempts", AttemptRecord, { ttlMs: RETENTION_MS });

export const attemptKey = (durable: string, subject: string, messageId: string) =>
  keyOf(attempts, durable, subject, messageId);

interface CountDeps {
  readonly store: Store;
  readonly logger: Logger;
  readonly durable: string;
  readonly subject: string;
}

/** Counts the runs of messages that may have run before (docs/adr/0003-attempts-counted-where-it-matters.md). */
export class AttemptCounts {
  readonly #deps: CountDeps;
  readonly #known = new Map<QueuedMessage, AttemptRecord>();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  /** Undefined for a run that is known to be the first: it costs no read and no write. */
  async before(message: QueuedMessage): Promise<AttemptRecord | undefined> {
    const known = this.#known.get(message);
    if (known || !message.suspect) return known;
    const stored = await this.#deps.store.get(this.#key(message));
    return stored?.value ?? { attempts: 1, failures: 0 };
  }

  failuresOf(message: QueuedMessage): number {
    return this.#known.get(message)?.failures ?? 0;
  }

  /** Call before a run: it must not start unless this is stored. */
  async begin(message: QueuedMessage, record: AttemptRecord): Promise<void> {
    await this.#deps.store.put(this.#key(message), record);
    this.#known.set(message, record);
  }

  /** Call after a run: it counts in this process even if the write fails. */
  async note(message: QueuedMessage, record: AttemptRecord): Promise<void> {
    this.#known.set(message, record);
    await this.#deps.store.put(this.#key(message), record);
  }

  /** The run does not count as a failure. The stored record counts one failure too many until the next run. */
  ignoreFailure(message: QueuedMessage, attempt: number): void {
    this.#known.set(message, { attempts: attempt, failures: Math.max(0, this.failuresOf(message) - 1) });
  }

  /** The run was counted and did not begin. The stored record stays: another process may own it by now. */
  notRun(message: QueuedMessage, { attempt, failures }: Pick<Received, "attempt" | "failures">): void {
    if (this.#known.has(message)) this.#known.set(message, { attempts: attempt - 1, failures });
  }

  /** The run does not count at all. Only a run that was counted before it began costs a write. */
  async ignoreRun(
    message: QueuedMessage,
    { attempt, failures }: Pick<Received, "attempt" | "failures">,
  ): Promise<void> {
    if (this.#known.has(message)) await this.note(message, { attempts: attempt - 1, failures });
  }

  forget(message: QueuedMessage): void {
    this.#known.delete(message);
  }

  /** Best effort: the message has ended and must not run again; the record expires by its TTL. */
  async drop(message: QueuedMessage): Promise<void> {
    if (!this.#known.has(message)) return;
    try {
      await this.#deps.store.delete(this.#key(message));
    } catch (error) {
      const { logger, durable } = this.#deps;
      logger.debug({ durable, id: message.id, error: messageOf(error) }, "could not delete attempt record");
    }
  }

  #key(message: QueuedMessage) {
    return attemptKey(this.#deps.durable, this.#deps.subject, message.id);
  }
}
