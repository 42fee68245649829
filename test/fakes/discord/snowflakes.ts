const EPOCH_MS = 1_420_070_400_000n;

/** Generates ids like Discord: they contain the time and always increase. */
export class Snowflakes {
  #last = 0n;
  #frozenAt: number | undefined;

  /** Ids count from this time on, so that the same steps give the same ids. */
  freeze(at: number): void {
    this.#frozenAt = at;
    this.#last = 0n;
  }

  next(): string {
    const now = (BigInt(this.#frozenAt ?? Date.now()) - EPOCH_MS) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  }
}
