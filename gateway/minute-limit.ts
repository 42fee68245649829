import type { Clock } from "../core/contract/clock.ts";

/** So many at once, and as many again in the course of a minute. */
export class MinuteLimit {
  readonly #clock: Clock;
  readonly #left = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0: one more is taken. Otherwise it is not, and there is room for it after so many milliseconds. */
  take(name: string, perMinute: number): number {
    const now = this.#clock.monotonic();
    const before = this.#left.get(name) ?? { count: perMinute, at: now };
    const count = Math.min(perMinute, before.count + ((now - before.at) / MINUTE_MS) * perMinute);
    if (this.#left.size >= FORGET_FROM) this.#forgetRested(now);
    this.#left.set(name, { count: count < 1 ? count : count - 1, at: now });
    return count < 1 ? ((1 - count) / perMinute) * MINUTE_MS : 0;
  }

  /** After a minute of silence everybody has all they can have, as one who is new. */
  #forgetRested(now: number): void {
    for (const [name, { at }] of this.#left) if (now - at >= MINUTE_MS) this.#left.delete(name);
  }
}

const MINUTE_MS = 60_000;
const FORGET_FROM = 10_000;
