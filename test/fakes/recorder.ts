/** Collects items and lets a test wait for them, without polling. */
export class Recorder<T> {
  readonly items: T[] = [];
  #watchers: (() => void)[] = [];

  add(item: T): void {
    this.items.push(item);
    for (const check of [...this.#watchers]) check();
  }

  /** Resolves once the items satisfy the condition; only the timeout of the test limits the wait. */
  until(condition: (items: readonly T[]) => boolean): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition(this.items)) return;
        this.#watchers = this.#watchers.filter((watcher) => watcher !== check);
        resolve(this.items);
      };
      this.#watchers.push(check);
      check();
    });
  }

  count(n: number): Promise<readonly T[]> {
    return this.until((items) => items.length >= n);
  }
}
