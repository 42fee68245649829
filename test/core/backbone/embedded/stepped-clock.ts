import type { Clock, Timer } from "../../../../core/contract/clock.ts";

/** Stands still until a test moves it. */
export class SteppedClock implements Clock {
  #now = Date.UTC(2030, 0, 1);
  #timers = new Set<{ at: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): Timer {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Without running timers: as when somebody sets the clock. */
  set(ms: number): void {
    this.#now += ms;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now)) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }

  get waiting(): number {
    return this.#timers.size;
  }
}
