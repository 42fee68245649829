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

/** Those of one pass of the event loop, written by one statement. */
interface Gathered {
  readonly seqs: number[];
  readonly stored: Promise<void>;
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
  readonly #deleteOne: Statement;
  readonly #deleteMany: Statement;
  #gathered: Gathered | undefined;
  #owed: number[] = [];
  #retry: Timer | undefined;

  constructor(durableId: number, parts: AcknowledgementParts, paid: () => void) {
    this.#durableId = durableId;
    this.#parts = parts;
    this.#paid = paid;
    this.#deleteOne = parts.database.prepare("DELETE FROM pending WHERE durable_id = ? AND seq = ?");
    this.#deleteMany = parts.database.prepare(
      "DELETE FROM pending WHERE durable_id = ? AND seq IN (SELECT value FROM json_each(?))",
    );
  }

  get owed(): number {
    return this.#owed.length;
  }

  /** Resolves when it is written, or owed. */
  async write(seq: number): Promise<void> {
    this.#gathered ??= this.#gather();
    const gathered = this.#gathered;
    gathered.seqs.push(seq);
    try {
      await gathered.stored;
    } catch (error) {
      if (this.#gathered === gathered) this.#gathered = undefined;
      this.#owe(seq, error);
    }
  }

  /** One last attempt. */
  async close(): Promise<void> {
    this.#retry?.cancel();
    if (this.#owed.length > 0) await this.#parts.writes.submit(() => this.#delete(this.#owed));
  }

  #gather(): Gathered {
    const seqs: number[] = [];
    const stored = this.#parts.writes.submit(() => {
      this.#gathered = undefined;
      this.#delete(seqs);
    });
    return { seqs, stored };
  }

  #owe(seq: number, error: unknown): void {
    if (this.#owed.length === 0) this.#parts.logger.warn({ error: messageOf(error) }, "acknowledgements owed");
    this.#owed.push(seq);
    this.#retry ??= this.#parts.clock.after(this.#parts.pauseMs, () => void this.#pay());
  }

  async #pay(): Promise<void> {
    const seqs = [...this.#owed];
    try {
      await this.#parts.writes.submit(() => this.#delete(seqs));
    } catch {
      // It was said when they were first owed. After a fatal failure only a restart helps.
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

  #delete(seqs: readonly number[]): void {
    const [first] = seqs;
    if (seqs.length > 1) this.#deleteMany.run(this.#durableId, JSON.stringify(seqs));
    else if (first !== undefined) this.#deleteOne.run(this.#durableId, first);
  }
}
