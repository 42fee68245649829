import type { RateLimit } from "./rate-limit.ts";

/** Rates by key: account, address, caller. Evicts the key that has been idle longest. */
export class KeyedRates {
  readonly #wholeAt = new Map<string, number>();

  /** 0: one more is taken. Otherwise it is not, and there is room for it after so many milliseconds. */
  take(key: string, limit: RateLimit, now: number): number {
    const before = this.#wholeAt.get(key) ?? 0;
    const after = limit.take(before, now);
    this.#wholeAt.delete(key);
    this.#wholeAt.set(key, after ?? before);
    if (this.#wholeAt.size > MAX_KEYS) this.#evictOldest();
    return after === undefined ? limit.waitMs(before, now) : 0;
  }

  /** The wait that `take` would return now; takes nothing. */
  waitMs(key: string, limit: RateLimit, now: number): number {
    return limit.waitMs(this.#wholeAt.get(key) ?? 0, now);
  }

  #evictOldest(): void {
    for (const key of this.#wholeAt.keys()) {
      this.#wholeAt.delete(key);
      return;
    }
  }
}

/** A few megabytes at most. */
const MAX_KEYS = 50_000;
