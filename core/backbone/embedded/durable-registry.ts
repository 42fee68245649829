import { RETENTION_MS } from "../../contract/bus.ts";
import type { Clock } from "../../contract/clock.ts";
import { encodeToken } from "../../contract/token.ts";
import type { Database, Statement } from "./database.ts";
import type { NumberSeries } from "./number-series.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { WriteQueue } from "./write-queue.ts";

/** A durable collects what is published on its subject, whether or not anybody consumes it in this process. */
export interface Durable {
  readonly id: number;
  /** Messages up to this one may have been run by an earlier process. */
  readonly suspectUpTo: number;
  /** Present once somebody has consumed it in this process. */
  queue?: {
    arrived(message: StoredMessage): void;
    swept(slice: SweptSlice): void;
  };
}

/** A stretch of the stream out of which the messages that were too old are gone. */
export interface SweptSlice {
  readonly after: number;
  readonly last: number;
  /** Those published at this time or before. */
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

  /** All durables of the subject. */
  of(subject: string): Iterable<Durable> {
    return this.#bySubject.get(subject)?.values() ?? [];
  }

  *all(): Iterable<Durable> {
    for (const named of this.#bySubject.values()) yield* named.values();
  }

  /** Made if it is new. */
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
        // Known from here on, within the transaction: the writes behind this one belong to it already.
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
