/** The faults of the next calls, each used once. */
export class Troubles<T> {
  readonly #waiting: T[] = [];

  add(trouble: T, times: number): void {
    this.#waiting.push(...Array.from({ length: times }, () => trouble));
  }

  next(): T | undefined {
    return this.#waiting.shift();
  }

  /** Removes all faults. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
