/** Work in order per key, side by side for different ones. */
export class Lanes {
  readonly #ends = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key) ?? Promise.resolve();
    const done = before.then(work);
    const end = done.catch(() => undefined);
    this.#ends.set(key, end);
    void end.then(() => {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    });
    return done;
  }

  /** Resolves when all that was begun so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#ends.values());
  }
}
