import type { Clock, Timer } from "../../core/contract/ports/clock.ts";

/** Time that stands still until a test moves it. */
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

  /** Somebody sets the clock on the wall: what is measured goes on as before. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** How many timers are still armed. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Calls back everything that falls due on the way, in order. */
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
