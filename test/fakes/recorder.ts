/** Collects what happens and lets a test wait for it, without polling. */
export class Recorder<T> {
  readonly items: T[] = [];
  #watchers: (() => void)[] = [];

  add(item: T): void {
    this.items.push(item);
    for (const check of [...this.#watchers]) check();
  }

  /** Resolves as soon as the collected items satisfy the condition; the test's own time limit is the only one. */
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
