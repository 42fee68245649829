/**
 * Allows a burst, then a steady rate. Shared by all: what it must know of one client is a single number, the time at
 * which their whole burst is theirs again. 0 at first.
 */
export class RateLimit {
  readonly #eachMs: number;
  readonly #burstMs: number;

  constructor(perSecond: number, burst: number) {
    this.#eachMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#eachMs + ROUNDING_MS;
  }

  /** So many at once, and as many again in the course of a minute. */
  static perMinute(count: number): RateLimit {
    return new RateLimit(count / 60, count);
  }

  /** The client's number after one more; undefined if that is too many. */
  take(wholeAt: number, now: number): number | undefined {
    return this.waitMs(wholeAt, now) > 0 ? undefined : Math.max(wholeAt, now) + this.#eachMs;
  }

  /** How long until there is room for one more. */
  waitMs(wholeAt: number, now: number): number {
    return Math.max(0, Math.max(wholeAt, now) + this.#eachMs - now - this.#burstMs);
  }
}

const ROUNDING_MS = 0.001;
