import type { Access } from "../../adapters/contract/config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";

/** Throws "forbidden" or "rate-limited" for an account that may not speak, or not yet (I2). Counted in each gateway by itself. */
export type AccessCheck = (accountId: string) => void;

export const accessCheck = (access: Access | undefined, clock: Clock): AccessCheck => {
  const { accounts = "*", messagesPerMinute } = access ?? {};
  const allowed = accounts === "*" ? undefined : new Set(accounts);
  const limit = messagesPerMinute === undefined ? undefined : new MinuteLimit(messagesPerMinute, clock);
  return (accountId) => {
    if (allowed && !allowed.has(accountId)) {
      throw new AppError("forbidden", "this account may not talk to the agent here: ask whoever runs it for access");
    }
    if (limit && !limit.take(accountId)) {
      throw new AppError("rate-limited", `more than ${messagesPerMinute} messages in a minute: wait a little`);
    }
  };
};

/** So many at once, and as many again in the course of a minute. */
class MinuteLimit {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #left = new Map<string, { count: number; at: number }>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  take(accountId: string): boolean {
    const now = this.#clock.monotonic();
    const before = this.#left.get(accountId) ?? { count: this.#perMinute, at: now };
    const count = Math.min(this.#perMinute, before.count + ((now - before.at) / MINUTE_MS) * this.#perMinute);
    if (this.#left.size >= FORGET_FROM) this.#forgetRested(now);
    this.#left.set(accountId, { count: count < 1 ? count : count - 1, at: now });
    return count >= 1;
  }

  /** After a minute of silence an account has all it can have, as one that is new. */
  #forgetRested(now: number): void {
    for (const [accountId, { at }] of this.#left) if (now - at >= MINUTE_MS) this.#left.delete(accountId);
  }
}

const MINUTE_MS = 60_000;
const FORGET_FROM = 10_000;
