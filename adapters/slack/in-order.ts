/** What is prepared at different speeds comes out in the order it came in, per key. */
export class InOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles as `prepared` does, once everything before it under the same key has settled. */
  after<T>(key: string, prepared: Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before === undefined ? prepared : before.then(() => prepared);
    const settled = turn.catch(() => undefined);
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return turn;
  }
}
