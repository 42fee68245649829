import type { Clock, Timer } from "../../core/contract/ports/clock.ts";

/** A clock that only the test advances. */
export class ManualClock implements Clock {
  #now: number;
  #elapsed = 0;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  constructor(startsAt = Date.UTC(2025, 0, 1)) {
    this.#now = startsAt;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): Timer {
    const timer = { at: this.#elapsed + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Changes the wall time; monotonic time and timers are unaffected. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Number of armed timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the time and runs the timers that become due, in order. */
  advance(ms: number): void {
    const until = this.#elapsed + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      this.#moveTo(next?.at ?? until);
      if (next === undefined) return;
      this.#timers.delete(next);
      next.callback();
    }
  }

  #moveTo(elapsed: number): void {
    this.#now += elapsed - this.#elapsed;
    this.#elapsed = elapsed;
  }
}
