import { z } from "zod";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { collection, keyOf, prefixOf, type Store } from "../../../core/contract/ports/store.ts";
import { DELETE, update } from "../../../core/contract/ports/update.ts";
import type { UnreachableConversation } from "../../contract/abilities.ts";
import { DeliveryFailed, type DeliveryFailure } from "../../contract/delivery-failed.ts";
import type { ChatMemberUpdated } from "../payload.ts";

const State = z.enum(["blocked", "deactivated", "removed", "restricted"]);
type State = z.infer<typeof State>;

/** Why Telegram refuses every message for a chat until a person changes something there. */
const Unreachable = z.looseObject({
  room: z.string().min(1),
  state: State,
  since: z.iso.datetime(),
  askAgainAt: z.iso.datetime(),
});

const chats = collection("telegram-unreachable", Unreachable);

const DAY_MS = 24 * 3_600_000;

/** Telegram reports a change by `my_chat_member`, unless Mooring is down for longer than a day. */
const MEANING: Readonly<Record<State, { reason: DeliveryFailure; text: string; said: RegExp }>> = {
  blocked: {
    reason: "forbidden",
    text: "the person has blocked the bot in Telegram, and can unblock it there",
    said: /bot was blocked by the user/i,
  },
  deactivated: {
    reason: "target-gone",
    text: "the person has deleted their Telegram account",
    said: /user is deactivated/i,
  },
  removed: {
    reason: "target-gone",
    text: "the bot is no longer in this group; it must be added again",
    said: /bot was kicked|bot is not a member|group chat was deactivated/i,
  },
  restricted: {
    reason: "forbidden",
    text: "the bot may not write in this group: an administrator must allow it to send messages",
    said: /not enough rights to send|have no rights to send|CHAT_WRITE_FORBIDDEN/i,
  },
};

/** Remembers the chats that refuse messages, so that Telegram is not called for each message. */
export class Reach {
  readonly #channel: string;
  readonly #store: Store;
  readonly #clock: Pick<Clock, "now">;

  constructor(channel: string, store: Store, clock: Pick<Clock, "now">) {
    this.#channel = channel;
    this.#store = store;
    this.#clock = clock;
  }

  /** Sends to a chat, unless it is known to refuse messages; `byHand` tries it anyway. */
  async send<T>({ room }: Conversation, byHand: boolean, send: () => Promise<T>): Promise<T> {
    const known = await this.#store.get(this.#keyOf(room)).catch((cause: unknown) => {
      throw new DeliveryFailed("unavailable", "the state of the chat could not be read", { cause });
    });
    if (known !== undefined && !byHand && this.#clock.now() < Date.parse(known.value.askAgainAt)) {
      throw failureOf(known.value.state);
    }
    try {
      const sent = await send();
      if (known !== undefined) await this.#ignoringErrors(this.opened(room));
      return sent;
    } catch (error) {
      const state = error instanceof DeliveryFailed ? stateIn(error) : undefined;
      if (state === undefined) throw error;
      await this.#ignoringErrors(this.#closed(room, state));
      throw failureOf(state, error);
    }
  }

  /** Telegram reports that people removed, blocked or restricted the bot, or let it in again. */
  async changed({ chat, new_chat_member: bot }: ChatMemberUpdated): Promise<void> {
    const room = String(chat.id);
    const isOut = bot.status === "kicked" || bot.status === "left";
    if (isOut) return this.#closed(room, chat.type === "private" ? "blocked" : "removed");
    if (bot.status !== "restricted") return this.opened(room);
    await (bot.can_send_messages === false ? this.#closed(room, "restricted") : this.opened(room));
  }

  async opened(room: string): Promise<void> {
    await update(this.#store, this.#keyOf(room), (known) => known && DELETE);
  }

  async *unreachable(): AsyncIterable<UnreachableConversation> {
    for await (const { key, value } of this.#store.list(prefixOf(chats, this.#channel))) {
      const { room, state, since, askAgainAt } = value;
      const isPrivate = !room.startsWith("-");
      yield {
        key,
        conversation: { channel: this.#channel, room, kind: isPrivate ? "private" : "shared" },
        ...(isPrivate && { accountId: room }),
        state,
        since,
        askAgainAt,
        reason: failureOf(state).message,
      };
    }
  }

  async #closed(room: string, state: State): Promise<void> {
    const now = this.#clock.now();
    const since = new Date(now).toISOString();
    const askAgainAt = new Date(now + DAY_MS).toISOString();
    await update(this.#store, this.#keyOf(room), (known) => ({
      room,
      state,
      since: known?.state === state ? known.since : since,
      askAgainAt,
    }));
  }

  /** The outcome of the delivery is certain, and the next one learns the state again. */
  async #ignoringErrors(work: Promise<void>): Promise<void> {
    await work.catch(() => undefined);
  }

  #keyOf(room: string) {
    return keyOf(chats, this.#channel, room);
  }
}

const stateIn = ({ reason, message }: DeliveryFailed): State | undefined =>
  reason === "forbidden" || reason === "target-gone"
    ? State.options.find((state) => MEANING[state].said.test(message))
    : undefined;

const failureOf = (state: State, cause?: unknown): DeliveryFailed =>
  new DeliveryFailed(MEANING[state].reason, `${state}: ${MEANING[state].text}`, { cause });
