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

  /** The client's number after one more; undefined if that is too many. */
  take(wholeAt: number, now: number): number | undefined {
    const next = Math.max(wholeAt, now) + this.#eachMs;
    return next - now <= this.#burstMs ? next : undefined;
  }
}

const ROUNDING_MS = 0.001;
