import { RateLimit } from "./rate-limit.ts";

/** One rate for each of many: accounts, addresses. Who has been quiet longest is forgotten first, and begins anew. */
export class KeyedRates {
  readonly #limit: RateLimit;
  readonly #wholeAt = new Map<string, number>();

  constructor(perSecond: number, burst: number) {
    this.#limit = new RateLimit(perSecond, burst);
  }

  /** False: this one was too much, and does not count. */
  take(key: string, now: number): boolean {
    const wholeAt = this.#limit.take(this.#wholeAt.get(key) ?? 0, now);
    if (wholeAt === undefined) return false;
    this.#wholeAt.delete(key);
    this.#wholeAt.set(key, wholeAt);
    if (this.#wholeAt.size > MOST_KNOWN) this.#forgetOldest();
    return true;
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
