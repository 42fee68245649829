import type { Connection } from "./connection.ts";

/** The sockets of a room: nearly always one, for which a Set would be the largest thing the room has. */
export class Followers {
  #only: Connection | undefined;
  #many: Set<Connection> | undefined;

  get size(): number {
    return this.#many?.size ?? (this.#only === undefined ? 0 : 1);
  }

  add(connection: Connection): void {
    if (this.#many) this.#many.add(connection);
    else if (this.#only === undefined) this.#only = connection;
    else {
      this.#many = new Set([this.#only, connection]);
      this.#only = undefined;
    }
  }

  remove(connection: Connection): void {
    this.#many?.delete(connection);
    if (this.#only === connection) this.#only = undefined;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return (this.#many ?? (this.#only === undefined ? [] : [this.#only]))[Symbol.iterator]();
  }
}
