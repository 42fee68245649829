/** The faults of the next calls, each used once. */
export class NextFaults<T> {
  readonly #waiting: T[] = [];

  add(fault: T, times: number): void {
    this.#waiting.push(...Array.from({ length: times }, () => fault));
  }

  next(): T | undefined {
    return this.#waiting.shift();
  }

  /** Removes all faults. */
  clear(): void {
    this.#waiting.length = 0;
  }
}
