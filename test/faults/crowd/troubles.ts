/** What is to go wrong with the next calls, each once. */
export class Troubles<T> {
  readonly #waiting: T[] = [];

  add(trouble: T, times: number): void {
    this.#waiting.push(...Array.from({ length: times }, () => trouble));
  }

  next(): T | undefined {
    return this.#waiting.shift();
  }

  /** From now on all goes well. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
