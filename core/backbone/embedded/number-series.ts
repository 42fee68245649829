import type { Database } from "./database.ts";

/**
 * Numbers that only ever grow, across deletes and restarts: revisions and places in the stream. They are reserved in
 * blocks, inside the transaction that uses the first of a block, so that most writes pay nothing; a restart skips the
 * rest of a block.
 */
export class NumberSeries {
  /** Every number of an earlier process is at most this. */
  readonly startedAt: number;
  readonly #reserve;
  #last: number;
  #reserved: number;

  constructor(database: Database) {
    const row = database.prepare<[number]>("SELECT reserved FROM numbers").get();
    this.#reserve = database.prepare("UPDATE numbers SET reserved = ?");
    this.startedAt = row?.[0] ?? 0;
    this.#last = this.startedAt;
    this.#reserved = this.startedAt;
  }

  /** Only inside a transaction. */
  next(): number {
    if (this.#last >= this.#reserved) {
      this.#reserve.run(this.#last + BLOCK);
      this.#reserved = this.#last + BLOCK;
    }
    return ++this.#last;
  }

  /** The reservation may have gone with the transaction. */
  rolledBack(): void {
    this.#reserved = this.#last;
  }
}

const BLOCK = 10_000;
