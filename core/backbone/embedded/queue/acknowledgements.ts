import { messageOf } from "../../../contract/app-error.ts";
import type { Clock, Timer } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import type { Database, Statement } from "../file/database.ts";
import type { WriteQueue } from "../file/write-queue.ts";

export interface AcknowledgementDeps {
  readonly database: Database;
  readonly writes: WriteQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pauseMs: number;
}

/** The acknowledgements of one pass of the event loop; one statement writes them. */
interface Gathered {
  readonly seqs: number[];
  readonly stored: Promise<void>;
}

/**
 * Deletes the pending rows of one durable's acknowledged messages. If that fails (full disk), the acknowledgement is
 * owed: it is retried with pauses and its handler does not run again. No other message starts meanwhile, so order holds
 * even if the process crashes. A message whose acknowledgement is still owed at close runs again in the next process.
 */
export class Acknowledgements {
  readonly #durableId: number;
  readonly #deps: AcknowledgementDeps;
  readonly #allStored: () => void;
  readonly #deleteOne: Statement;
  readonly #deleteMany: Statement;
  #gathered: Gathered | undefined;
  #owed: number[] = [];
  #retry: Timer | undefined;

  constructor(durableId: number, deps: AcknowledgementDeps, allStored: () => void) {
    this.#durableId = durableId;
    this.#deps = deps;
    this.#allStored = allStored;
    this.#deleteOne = deps.database.prepare("DELETE FROM pending WHERE durable_id = ? AND seq = ?");
    this.#deleteMany = deps.database.prepare(
      "DELETE FROM pending WHERE durable_id = ? AND seq IN (SELECT value FROM json_each(?))",
    );
  }

  get owed(): number {
    return this.#owed.length;
  }

  /** Resolves when the acknowledgement is stored, or owed. */
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

  /** Makes one last attempt to store owed acknowledgements. */
  async close(): Promise<void> {
    this.#retry?.cancel();
    if (this.#owed.length > 0) await this.#deps.writes.submit(() => this.#delete(this.#owed));
  }

  #gather(): Gathered {
    const seqs: number[] = [];
    const stored = this.#deps.writes.submit(() => {
      this.#gathered = undefined;
      this.#delete(seqs);
    });
    return { seqs, stored };
  }

  #owe(seq: number, error: unknown): void {
    if (this.#owed.length === 0)
      this.#deps.logger.warn({ error: messageOf(error) }, "could not store acknowledgements, retrying");
    this.#owed.push(seq);
    this.#retry ??= this.#deps.clock.after(this.#deps.pauseMs, () => void this.#storeOwed());
  }

  async #storeOwed(): Promise<void> {
    const seqs = [...this.#owed];
    try {
      await this.#deps.writes.submit(() => this.#delete(seqs));
    } catch {
      // The first failure was logged. After a fatal failure the database refuses every write until a restart.
      this.#retry = this.#deps.database.failure
        ? undefined
        : this.#deps.clock.after(this.#deps.pauseMs, () => void this.#storeOwed());
      return;
    }
    this.#retry = undefined;
    this.#owed = this.#owed.slice(seqs.length);
    if (this.#owed.length > 0) return this.#storeOwed();
    this.#allStored();
  }

  #delete(seqs: readonly number[]): void {
    const [first] = seqs;
    if (seqs.length > 1) this.#deleteMany.run(this.#durableId, JSON.stringify(seqs));
    else if (first !== undefined) this.#deleteOne.run(this.#durableId, first);
  }
}
