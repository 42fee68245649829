import { messageOf } from "../../contract/app-error.ts";
import type { Clock, Timer } from "../../contract/clock.ts";
import type { Logger } from "../../contract/logger.ts";
import type { Database, Statement } from "./database.ts";
import type { WriteQueue } from "./write-queue.ts";

export interface AcknowledgementParts {
  readonly database: Database;
  readonly writes: WriteQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pauseMs: number;
}

/**
 * Ends messages of one durable in the file. One that cannot be written, on a full disk, is owed: it is tried again with
 * pauses, its handler is not run again, and no other message starts meanwhile, so that order holds even if the process
 * dies. What is still owed at the close comes again in the next process.
 */
export class Acknowledgements {
  readonly #durableId: number;
  readonly #parts: AcknowledgementParts;
  readonly #paid: () => void;
  readonly #delete: Statement;
  #owed: number[] = [];
  #retry: Timer | undefined;

  constructor(durableId: number, parts: AcknowledgementParts, paid: () => void) {
    this.#durableId = durableId;
    this.#parts = parts;
    this.#paid = paid;
    this.#delete = parts.database.prepare("DELETE FROM pending WHERE durable_id = ? AND seq = ?");
  }

  get owed(): number {
    return this.#owed.length;
  }

  /** Resolves when it is written, or owed. */
  async write(seq: number): Promise<void> {
    try {
      await this.#store([seq]);
    } catch (error) {
      this.#parts.logger.warn({ seq, error: messageOf(error) }, "acknowledgement owed");
      this.#owed.push(seq);
      this.#retry ??= this.#parts.clock.after(this.#parts.pauseMs, () => void this.#pay());
    }
  }

  /** One last attempt. */
  async close(): Promise<void> {
    this.#retry?.cancel();
    if (this.#owed.length > 0) await this.#store(this.#owed);
  }

  async #pay(): Promise<void> {
    const seqs = [...this.#owed];
    try {
      await this.#store(seqs);
    } catch {
      // Said when it was first owed. After a fatal failure only a restart helps.
      this.#retry = this.#parts.database.failure
        ? undefined
        : this.#parts.clock.after(this.#parts.pauseMs, () => void this.#pay());
      return;
    }
    this.#retry = undefined;
    this.#owed = this.#owed.slice(seqs.length);
    if (this.#owed.length > 0) return this.#pay();
    this.#paid();
  }

  #store(seqs: readonly number[]): Promise<void> {
    return this.#parts.writes.submit(() => {
      for (const seq of seqs) this.#delete.run(this.#durableId, seq);
    });
  }
}
