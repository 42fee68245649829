import type { AccessRules } from "../../adapters/contract/config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/clock.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import { admits } from "./admits.ts";

/** Throws "forbidden" or "rate-limited" for a message that may not be sent, or not yet (I2). Counted in each gateway by itself. */
export type AccessCheck = (message: Pick<UserMessage, "account" | "conversation">) => void;

export const accessCheck = (access: AccessRules | undefined, clock: Clock): AccessCheck => {
  const { accounts = "*", messagesPerMinute } = access ?? {};
  const isOpen = admits(access);
  const listed = accounts === "*" ? undefined : new Set(accounts);
  const limit = messagesPerMinute === undefined ? undefined : new MinuteLimit(messagesPerMinute, clock);
  return ({ account, conversation }) => {
    if (listed && !listed.has(account.id)) {
      throw new AppError("forbidden", "this account may not talk to the agent here: ask whoever runs it for access");
    }
    if (!isOpen(conversation, account.id)) {
      throw new AppError("forbidden", "the agent does not listen in this room: ask whoever runs it to add the room");
    }
    if (limit && !limit.take(account.id)) {
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
