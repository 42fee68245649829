import type { Clock, Timer } from "../../../../core/contract/ports/clock.ts";

/** A clock that only the test advances. */
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

  /** Changes the wall clock without running timers. */
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
