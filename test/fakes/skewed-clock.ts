import type { Clock } from "../../core/contract/ports/clock.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";

/** The system clock with a wall time that a test can advance; timers and monotonic time stay real. */
export class SkewedClock implements Clock {
  #skewMs = 0;

  skip(ms: number): void {
    this.#skewMs += ms;
  }

  now(): number {
    return systemClock.now() + this.#skewMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, callback: () => void) {
    return systemClock.after(ms, callback);
  }
}
