import type { Clock, Timer } from "../../../core/contract/clock.ts";

/** A clock that stands still until it is moved; timers fire in order on the way. */
export class HandClock implements Clock {
  #elapsed = 0;
  readonly #begin: number;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  constructor(begin = Date.parse("2026-11-15T12:00:00Z")) {
    this.#begin = begin;
  }

  now(): number {
    return this.#begin + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): Timer {
    const timer = { at: this.#elapsed + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Moves on, letting what was started run between two timers. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.callback();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#elapsed = end;
  }

  /** Moves on at once, as if the process had slept: nothing fires on the way. */
  jump(ms: number): void {
    this.#elapsed += ms;
  }
}
