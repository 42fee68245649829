import { Routes } from "discord.js";
import { z } from "zod";
import { messageOf } from "../../../core/contract/app-error.ts";
import { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Clock, Timer } from "../../../core/contract/ports/clock.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { collection, keyOf, prefixOf } from "../../../core/contract/ports/store.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { pause } from "../../contract/pause.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordTiming } from "../api/timing.ts";
import { pauseAfter } from "../api/timing.ts";
import { channelIdOf, DiscordMessage, isAfter, laterOf, snowflakeAt } from "../payload.ts";

/** Older questions no longer need an answer; core deduplicates messages for seven days. */
const MAX_AGE_MS = 24 * 3_600_000;
const PAGE = 100;
const MAX_PAGES = 20;

export interface CatchUpDeps {
  readonly rest: RestCalls;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: DiscordTiming;
  readonly stopping: AbortSignal;
  take(message: DiscordMessage, conversation: Conversation): Promise<unknown>;
}

/** Fetches the messages of a conversation that were sent while no gateway was connected, oldest first. */
export const catchUp = async (
  deps: CatchUpDeps,
  conversation: Conversation,
  readUpTo: string,
): Promise<"done" | "unreadable"> => {
  const { clock, logger, stopping, take } = deps;
  let after = laterOf(readUpTo, snowflakeAt(clock.now() - MAX_AGE_MS));
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await pageAfter(deps, channelIdOf(conversation), after);
    if (found === "unreadable") return "unreadable";
    for (const message of found.messages) {
      if (stopping.aborted) return "done";
      await take(message, conversation);
      after = laterOf(message.id, after);
    }
    if (found.isLast) return "done";
  }
  logger.warn({ conversation, maxMessages: MAX_PAGES * PAGE }, "too many missed messages, skipping the rest");
  return "done";
};

/** Retries until Discord answers. Newer messages of the conversation wait behind it, which preserves their order. */
const pageAfter = async (
  deps: CatchUpDeps,
  channelId: string,
  after: string,
): Promise<{ messages: DiscordMessage[]; isLast: boolean } | "unreadable"> => {
  const { rest, clock, logger, timing, stopping } = deps;
  for (let failures = 1; !stopping.aborted; failures++) {
    try {
      const query = { after, limit: String(PAGE) };
      const answer = await rest.read(z.array(z.unknown()), "get", Routes.channelMessages(channelId), { query });
      const messages = answer.flatMap((each) => DiscordMessage.safeParse(each).data ?? []);
      // Discord sends the newest first.
      messages.sort((a, b) => (isAfter(a.id, b.id) ? 1 : -1));
      return { messages, isLast: answer.length < PAGE || messages.length === 0 };
    } catch (error) {
      const failure = error as DeliveryFailed;
      if (error instanceof DeliveryFailed && ["target-gone", "forbidden", "rejected"].includes(failure.reason)) {
        logger.info({ channelId, reason: failure.message }, "conversation no longer readable, forgetting it");
        return "unreadable";
      }
      const pauseMs = Math.max(failure.retryAfterMs ?? 0, pauseAfter(failures, timing));
      logger.warn(
        { channelId, error: messageOf(error), retryInMs: pauseMs },
        "could not fetch missed messages, retrying",
      );
      await pause(clock, pauseMs, stopping);
    }
  }
  return { messages: [], isLast: true };
};

const KnownConversation = z.looseObject({
  conversation: Conversation,
  /** All messages up to this one are stored or ignored. May lag behind, but never runs ahead. */
  readUpTo: z.string(),
});
type KnownConversation = z.infer<typeof KnownConversation>;

const KNOWN_TTL_MS = 30 * 24 * 3_600_000;
const knownConversations = collection("discord-conversations", KnownConversation, { ttlMs: KNOWN_TTL_MS });
const keyIn = (channel: string, channelId: string) => keyOf(knownConversations, channel, channelId);

type Deps = Pick<AdapterContext, "channel" | "store" | "clock" | "logger"> & { readonly saveEveryMs: number };

/**
 * The conversations with the agent, and the last message read in each, from which `catchUp` fetches after a gap.
 * A new conversation costs one write; later writes are batched, not one per message.
 */
export class KnownConversations {
  readonly #deps: Deps;
  readonly #known = new Map<string, KnownConversation>();
  readonly #unsaved = new Set<string>();
  #saving: Timer | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async load(): Promise<void> {
    const { store, channel } = this.#deps;
    for await (const { value } of store.list(prefixOf(knownConversations, channel))) {
      this.#known.set(channelIdOf(value.conversation), value);
    }
  }

  all(): readonly KnownConversation[] {
    return [...this.#known.values()];
  }

  /** Resolves once stored, so that a crash loses no later message of a new conversation. */
  async add(conversation: Conversation, readUpTo: string): Promise<void> {
    const channelId = channelIdOf(conversation);
    if (this.#known.has(channelId)) return;
    const record = { conversation, readUpTo };
    await this.#deps.store.put(keyIn(this.#deps.channel, channelId), record);
    if (!this.#known.has(channelId)) this.#known.set(channelId, record);
  }

  hasRead(channelId: string, messageId: string): void {
    const known = this.#known.get(channelId);
    if (known === undefined) return;
    this.#known.set(channelId, { ...known, readUpTo: laterOf(messageId, known.readUpTo) });
    this.#unsaved.add(channelId);
    this.#saving ??= this.#deps.clock.after(this.#deps.saveEveryMs, () => void this.save());
  }

  async forget(isRemoved: (conversation: Conversation) => boolean): Promise<void> {
    for (const { conversation } of this.all()) {
      if (!isRemoved(conversation)) continue;
      const channelId = channelIdOf(conversation);
      this.#known.delete(channelId);
      this.#unsaved.delete(channelId);
      await this.#deps.store.delete(keyIn(this.#deps.channel, channelId)).catch(() => undefined);
    }
  }

  async save(): Promise<void> {
    const { channel, store, logger } = this.#deps;
    this.#saving?.cancel();
    this.#saving = undefined;
    const channelIds = [...this.#unsaved];
    this.#unsaved.clear();
    for (const channelId of channelIds) {
      const known = this.#known.get(channelId);
      if (known === undefined) continue;
      try {
        await store.put(keyIn(channel, channelId), known);
      } catch (error) {
        // After a restart `catchUp` fetches more messages again, and core drops the duplicates.
        this.#unsaved.add(channelId);
        logger.warn({ error: messageOf(error) }, "could not store the read position, retrying");
      }
    }
  }
}
