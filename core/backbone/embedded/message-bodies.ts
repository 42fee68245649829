import { AppError } from "../../contract/app-error.ts";
import type { Database } from "./database.ts";

/** The JSON of waiting messages: from memory while the queue is short, else from the file when a message's turn comes. */
export class MessageBodies {
  readonly #select;
  readonly #kept = new Map<number, string>();
  #keptLength = 0;

  constructor(database: Database) {
    this.#select = database.prepare<[body: string]>("SELECT body FROM messages WHERE seq = ?");
  }

  keep(seq: number, body: string): void {
    if (this.#keptLength + body.length > MOST_KEPT_LENGTH) return;
    this.#kept.set(seq, body);
    this.#keptLength += body.length;
  }

  read(seq: number): string {
    const body = this.#kept.get(seq) ?? this.#select.get(seq)?.[0];
    if (body === undefined) throw new AppError("not-found", `message ${seq} is no longer stored`);
    return body;
  }

  drop(seq: number): void {
    const body = this.#kept.get(seq);
    if (body === undefined) return;
    this.#kept.delete(seq);
    this.#keptLength -= body.length;
  }

  dropAll(gone: (seq: number) => boolean): void {
    for (const seq of [...this.#kept.keys()]) if (gone(seq)) this.drop(seq);
  }
}

/** In UTF-16 units, per durable. */
const MOST_KEPT_LENGTH = 2_000_000;
