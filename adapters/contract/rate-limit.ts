import { BoundedCache } from "../../core/contract/bounded-cache.ts";

/**
 * Token bucket: allows a burst, then a steady rate. It holds no state; the state of one client is a single number,
 * the time at which its bucket is full again (0 at first).
 */
export class RateLimit {
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(perSecond: number, burst: number) {
    this.#eachMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#eachMs + ROUNDING_MS;
  }

  /** A burst of `count`, refilled within a minute. */
  static perMinute(count: number): RateLimit {
    return new RateLimit(count / 60, count);
  }

  /** The client's new state after one more request; undefined if the request exceeds the limit. */
  take(wholeAt: number, now: number): number | undefined {
    return this.waitMs(wholeAt, now) > 0 ? undefined : Math.max(wholeAt, now) + this.#eachMs;
  }

  /** Time until one more request is allowed. */
  waitMs(wholeAt: number, now: number): number {
    return Math.max(0, Math.max(wholeAt, now) + this.#eachMs - now - this.#burstMs);
  }
}

const ROUNDING_MS = 0.001;

/** Rate limit state by key: account, address, caller. Evicts the key that has been idle longest. */
export class KeyedRates {
  readonly #wholeAt = new BoundedCache<string, number>(MAX_KEYS);

  /** Returns 0 if the request is allowed, else the milliseconds after which it would be. */
  take(key: string, limit: RateLimit, now: number): number {
    const before = this.#wholeAt.get(key) ?? 0;
    const after = limit.take(before, now);
    this.#wholeAt.set(key, after ?? before);
    return after === undefined ? limit.waitMs(before, now) : 0;
  }

  /** The wait that `take` would return now; takes nothing. */
  waitMs(key: string, limit: RateLimit, now: number): number {
    return limit.waitMs(this.#wholeAt.get(key) ?? 0, now);
  }
}

/** A few megabytes at most. */
const MAX_KEYS = 50_000;
