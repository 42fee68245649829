import type { Database, Statement } from "./database.ts";

/** Which durables the messages of one batch wait for: written by one statement per durable, at the end of the batch. */
export class NewlyPending {
  readonly #insertOne: Statement;
  readonly #insertMany: Statement;
  readonly #byDurable = new Map<number, number[]>();

  constructor(database: Database) {
    this.#insertOne = database.prepare("INSERT INTO pending (durable_id, seq) VALUES (?, ?)");
    this.#insertMany = database.prepare("INSERT INTO pending (durable_id, seq) SELECT ?, value FROM json_each(?)");
  }

  add(durableId: number, seq: number): void {
    const seqs = this.#byDurable.get(durableId);
    if (seqs) seqs.push(seq);
    else this.#byDurable.set(durableId, [seq]);
  }

  /** Only inside a transaction, after the messages themselves. */
  write(): void {
    for (const [durableId, seqs] of this.#byDurable) {
      const [first] = seqs;
      if (seqs.length > 1) this.#insertMany.run(durableId, JSON.stringify(seqs));
      else if (first !== undefined) this.#insertOne.run(durableId, first);
    }
    this.#byDurable.clear();
  }

  /** The messages went with their transaction. */
  rolledBack(): void {
    this.#byDurable.clear();
  }
}
