import { type Clock, systemClock, type Timer } from "../../core/contract/ports/clock.ts";

/** The system clock, except that timers of one length wait until the test expires them. */
export class HeldClock implements Clock {
  readonly now = systemClock.now;
  #aheadMs = 0;
  readonly #heldMs: number;
  readonly #held = new Set<() => void>();
  #expired = false;

  constructor(heldMs: number) {
    this.#heldMs = heldMs;
  }

  after(ms: number, callback: () => void): Timer {
    if (ms !== this.#heldMs) return systemClock.after(ms, callback);
    if (this.#expired) return systemClock.after(0, callback);
    this.#held.add(callback);
    return { cancel: () => this.#held.delete(callback) };
  }

  readonly monotonic = (): number => systemClock.monotonic() + this.#aheadMs;

  /** Skips the time that a platform asks to wait; timers do not notice. */
  skip(ms: number): void {
    this.#aheadMs += ms;
  }

  /** The held timers fire now, and later ones of that length at once. */
  expire(): void {
    this.#expired = true;
    for (const callback of this.#held) callback();
    this.#held.clear();
  }
}
