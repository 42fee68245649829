import { Routes } from "discord.js";
import type { Clock } from "../../core/contract/clock.ts";
import type { UserMessage } from "../../core/contract/user-message.ts";
import { channelIdOf } from "./permalink.ts";
import type { RestCalls } from "./rest-calls.ts";

const QUIET_MS = 10 * 60_000;
const MOST_REMEMBERED = 10_000;

/** Tells people that they may not speak, but not each time: it could be used to have the bot fill a channel. */
export class RefusalNotices {
  readonly #rest: RestCalls;
  readonly #clock: Clock;
  readonly #toldAt = new Map<string, number>();

  constructor(rest: RestCalls, clock: Clock) {
    this.#rest = rest;
    this.#clock = clock;
  }

  async tell({ account, conversation }: UserMessage, messageId: string, why: string): Promise<void> {
    const now = this.#clock.monotonic();
    const before = this.#toldAt.get(account.id);
    if (before !== undefined && now - before < QUIET_MS) return;
    if (this.#toldAt.size >= MOST_REMEMBERED) this.#toldAt.clear();
    this.#toldAt.set(account.id, now);
    const body = {
      content: why,
      allowed_mentions: { parse: [] },
      message_reference: { message_id: messageId, fail_if_not_exists: false },
    };
    // A courtesy: nothing hangs on it.
    await this.#rest.call("post", Routes.channelMessages(channelIdOf(conversation)), { body }).catch(() => undefined);
  }
}
