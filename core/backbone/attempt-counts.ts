import { messageOf } from "../contract/app-error.ts";
import type { Received } from "../contract/bus.ts";
import type { Logger } from "../contract/logger.ts";
import type { Store } from "../contract/store.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { attemptKey } from "./attempt-record.ts";
import type { QueuedMessage } from "./queued-message.ts";

export interface CountDeps {
  readonly store: Store;
  readonly logger: Logger;
  readonly durable: string;
  /** Spelled. */
  readonly subject: string;
}

/** How often messages of one durable have run, as far as that matters: see the decision about counted attempts. */
export class AttemptCounts {
  readonly #deps: CountDeps;
  readonly #known = new Map<QueuedMessage, AttemptRecord>();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  /** Nothing for a first run that is known to be the first: it costs no read and no write. */
  async before(message: QueuedMessage): Promise<AttemptRecord | undefined> {
    const known = this.#known.get(message);
    if (known || !message.suspect) return known;
    const stored = await this.#deps.store.get(this.#key(message));
    return stored?.value ?? { attempts: 1, failures: 0 };
  }

  failuresOf(message: QueuedMessage): number {
    return this.#known.get(message)?.failures ?? 0;
  }

  /** Before a run: it must not start unless this is stored. */
  async begin(message: QueuedMessage, record: AttemptRecord): Promise<void> {
    await this.#deps.store.put(this.#key(message), record);
    this.#known.set(message, record);
  }

  /** After a run: it has happened, whether or not that can be stored. */
  async note(message: QueuedMessage, record: AttemptRecord): Promise<void> {
    this.#known.set(message, record);
    await this.#deps.store.put(this.#key(message), record);
  }

  /** The run does not count as a failure. What is stored counts one too many until the next run. */
  pardon(message: QueuedMessage, attempt: number): void {
    this.#known.set(message, { attempts: attempt, failures: Math.max(0, this.failuresOf(message) - 1) });
  }

  /** The run was counted and did not begin. The store is left alone: by now another process may count there. */
  notRun(message: QueuedMessage, { attempt, failures }: Pick<Received, "attempt" | "failures">): void {
    if (this.#known.has(message)) this.#known.set(message, { attempts: attempt - 1, failures });
  }

  /** The run counts as none. Only one that was counted before it began costs a write. */
  async takeBack(message: QueuedMessage, { attempt, failures }: Pick<Received, "attempt" | "failures">): Promise<void> {
    if (this.#known.has(message)) await this.note(message, { attempts: attempt - 1, failures });
  }

  forget(message: QueuedMessage): void {
    this.#known.delete(message);
  }

  /** The message has ended, so a failure here must not run it again: the record expires by itself. */
  async drop(message: QueuedMessage): Promise<void> {
    if (!this.#known.has(message)) return;
    try {
      await this.#deps.store.delete(this.#key(message));
    } catch (error) {
      const { logger, durable } = this.#deps;
      logger.debug({ durable, id: message.id, error: messageOf(error) }, "counts not dropped");
    }
  }

  #key(message: QueuedMessage) {
    return attemptKey(this.#deps.durable, this.#deps.subject, message.id);
  }
}
