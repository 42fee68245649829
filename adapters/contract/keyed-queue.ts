/** Runs work in order per key, and concurrently for different keys. */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after everything queued earlier under the same key has settled, and settles as `work` does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const done = before.then(work);
    const tail = done.catch(() => undefined);
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return done;
  }

  /** Settles as `started` does, but in queue order: for work that begins at once and must end in order. */
  after<T>(key: string, started: Promise<T>): Promise<T> {
    // A rejection before its turn must not count as unhandled; the returned promise reports it.
    started.catch(() => undefined);
    return this.run(key, () => started);
  }

  /** Resolves when all work queued so far has settled. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
