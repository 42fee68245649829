import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";

/** A manual clock; timers fire in order while it is advanced. */
export class OrderedClock implements Clock {
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

  /** Advances the time; started work can run between two timers. */
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

  /** Jumps ahead as if the process had been suspended: no timer fires on the way. */
  jump(ms: number): void {
    this.#elapsed += ms;
  }
}
