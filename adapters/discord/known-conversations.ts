import { z } from "zod";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Timer } from "../../core/contract/clock.ts";
import { collection, keyOf, prefixOf } from "../../core/contract/collection.ts";
import { Conversation } from "../../core/contract/conversation.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import { channelIdOf } from "./permalink.ts";
import { laterOf } from "./snowflake.ts";

const KnownConversation = z.looseObject({
  conversation: Conversation,
  /** All up to this message has been stored, or was not for us. Older than the truth now and then, never newer. */
  readUpTo: z.string(),
});
type KnownConversation = z.infer<typeof KnownConversation>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const knownConversations = collection("discord-conversations", KnownConversation, { ttlMs: THIRTY_DAYS_MS });
const keyIn = (channel: string, channelId: string) => keyOf(knownConversations, channel, channelId);

type Parts = Pick<AdapterContext, "channel" | "store" | "clock" | "logger"> & { readonly saveEveryMs: number };

/**
 * Where people talk to the agent, and how far that has been read: what was said while nobody was connected is fetched
 * from there. A conversation costs one write when it begins, and later ones now and then, not one for each message.
 */
export class KnownConversations {
  readonly #parts: Parts;
  readonly #known = new Map<string, KnownConversation>();
  readonly #unsaved = new Set<string>();
  #saving: Timer | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    const { store, channel } = this.#parts;
    for await (const { value } of store.list(prefixOf(knownConversations, channel))) {
      this.#known.set(channelIdOf(value.conversation), value);
    }
  }

  all(): readonly KnownConversation[] {
    return [...this.#known.values()];
  }

  /** Stored when it resolves, so that what comes next in a new conversation is not lost with this process. */
  async add(conversation: Conversation, readUpTo: string): Promise<void> {
    const channelId = channelIdOf(conversation);
    if (this.#known.has(channelId)) return;
    const record = { conversation, readUpTo };
    await this.#parts.store.put(keyIn(this.#parts.channel, channelId), record);
    if (!this.#known.has(channelId)) this.#known.set(channelId, record);
  }

  hasRead(channelId: string, messageId: string): void {
    const known = this.#known.get(channelId);
    if (known === undefined) return;
    this.#known.set(channelId, { ...known, readUpTo: laterOf(messageId, known.readUpTo) });
    this.#unsaved.add(channelId);
    this.#saving ??= this.#parts.clock.after(this.#parts.saveEveryMs, () => void this.save());
  }

  async forget(isGone: (conversation: Conversation) => boolean): Promise<void> {
    for (const { conversation } of this.all()) {
      if (!isGone(conversation)) continue;
      const channelId = channelIdOf(conversation);
      this.#known.delete(channelId);
      this.#unsaved.delete(channelId);
      await this.#parts.store.delete(keyIn(this.#parts.channel, channelId)).catch(() => undefined);
    }
  }

  async save(): Promise<void> {
    const { channel, store, logger } = this.#parts;
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
        // More is then fetched again after a restart, and recognised.
        this.#unsaved.add(channelId);
        logger.warn({ error: messageOf(error) }, "how far a conversation was read could not be stored");
      }
    }
  }
}
