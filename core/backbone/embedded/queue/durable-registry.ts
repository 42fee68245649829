import { RETENTION_MS } from "../../../contract/ports/bus.ts";
import type { Clock } from "../../../contract/ports/clock.ts";
import { encodeToken } from "../../../contract/ports/token.ts";
import type { Database, Statement } from "../file/database.ts";
import type { NumberSeries, WriteQueue } from "../file/write-queue.ts";

/** A durable collects the messages of its subject, also while no consumer of it runs in this process. */
export interface Durable {
  readonly id: number;
  /** Messages up to this sequence number may have run in an earlier process. */
  readonly suspectUpTo: number;
  /** Absent until a consumer attaches in this process. */
  queue?: {
    arrived(message: StoredMessage): void;
    swept(slice: SweptSlice): void;
  };
}

/** A message as it was committed. */
export interface StoredMessage {
  readonly seq: number;
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  readonly body: string;
}

/** The range of sequence numbers `after` (exclusive) to `last`, after its expired messages were deleted. */
export interface SweptSlice {
  readonly after: number;
  readonly last: number;
  /** Wall clock: messages published at this time or earlier were deleted. */
  readonly tooOld: number;
}

export class DurableRegistry {
  readonly #bySubject = new Map<string, Map<string, Durable>>();
  readonly #writes: WriteQueue;
  readonly #numbers: NumberSeries;
  readonly #clock: Clock;
  readonly #insert: Statement;
  readonly #insertStored: Statement;

  constructor(database: Database, writes: WriteQueue, numbers: NumberSeries, clock: Clock) {
    this.#writes = writes;
    this.#numbers = numbers;
    this.#clock = clock;
    this.#insert = database.prepare("INSERT INTO durables (id, subject, name) VALUES (?, ?, ?)");
    this.#insertStored = database.prepare(
      "INSERT INTO pending (durable_id, seq) SELECT ?, seq FROM messages WHERE subject = ? AND published_at > ?",
    );
    const known = database.prepare<[id: number, subject: string, name: string]>(
      "SELECT id, subject, name FROM durables",
    );
    for (const [id, subject, name] of known.all()) {
      this.#named(subject).set(name, { id, suspectUpTo: numbers.startedAt });
    }
  }

  of(subject: string): Iterable<Durable> {
    return this.#bySubject.get(subject)?.values() ?? [];
  }

  *all(): Iterable<Durable> {
    for (const named of this.#bySubject.values()) yield* named.values();
  }

  /** Creates the durable if it does not exist. */
  async open(subject: string, durable: string, from: "start" | "now"): Promise<Durable> {
    const name = encodeToken(durable);
    const known = this.#bySubject.get(subject)?.get(name);
    if (known) return known;
    let made: Durable | undefined;
    try {
      return await this.#writes.submit(() => {
        const named = this.#named(subject);
        const meanwhile = named.get(name);
        if (meanwhile) return meanwhile;
        made = { id: this.#numbers.next(), suspectUpTo: 0 };
        this.#insert.run(made.id, subject, name);
        if (from === "start") this.#insertStored.run(made.id, subject, this.#clock.now() - RETENTION_MS);
        // Registered inside the transaction, so that later writes of the same batch are pending for it.
        named.set(name, made);
        return made;
      });
    } catch (error) {
      if (made && this.#named(subject).get(name) === made) this.#named(subject).delete(name);
      throw error;
    }
  }

  #named(subject: string): Map<string, Durable> {
    const named = this.#bySubject.get(subject) ?? new Map<string, Durable>();
    this.#bySubject.set(subject, named);
    return named;
  }
}

/** The pending rows of the messages of one batch: one statement per durable inserts them at the end of the batch. */
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

  /** Call inside the transaction that stores the messages, after them. */
  write(): void {
    for (const [durableId, seqs] of this.#byDurable) {
      const [first] = seqs;
      if (seqs.length > 1) this.#insertMany.run(durableId, JSON.stringify(seqs));
      else if (first !== undefined) this.#insertOne.run(durableId, first);
    }
    this.#byDurable.clear();
  }

  rolledBack(): void {
    this.#byDurable.clear();
  }
}
