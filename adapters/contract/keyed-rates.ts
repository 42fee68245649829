import type { RateLimit } from "./rate-limit.ts";

/** The rates of many: accounts, addresses, callers. Who has been quiet longest is forgotten first, and begins anew. */
export class KeyedRates {
  readonly #wholeAt = new Map<string, number>();

  /** 0: one more is taken. Otherwise it is not, and there is room for it after so many milliseconds. */
  take(key: string, limit: RateLimit, now: number): number {
    const before = this.#wholeAt.get(key) ?? 0;
    const after = limit.take(before, now);
    this.#wholeAt.delete(key);
    this.#wholeAt.set(key, after ?? before);
    if (this.#wholeAt.size > MOST_KNOWN) this.#forgetOldest();
    return after === undefined ? limit.waitMs(before, now) : 0;
  }

  #forgetOldest(): void {
    for (const key of this.#wholeAt.keys()) {
      this.#wholeAt.delete(key);
      return;
    }
  }
}

/** A few megabytes, whoever comes. */
const MOST_KNOWN = 50_000;
