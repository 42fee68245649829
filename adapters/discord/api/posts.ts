import { Routes } from "discord.js";
import { z } from "zod";
import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { Delivery, Receipt } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { type FileLimits, type ReadFile, readFiles } from "../../contract/outgoing-file.ts";
import { RenderFailed, renderOrFail } from "../../contract/render-delivery.ts";
import { isInteractionMessageId } from "../inbound.ts";
import { channelIdOf, DiscordMessage, PostedMessage, PrivateChannel, snowflakeAt } from "../payload.ts";
import type { Post } from "../render.ts";
import { nonceOf, renderParts } from "../render.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import type { RestCalls } from "./rest-calls.ts";

/** Without boosts of the server. https://docs.discord.com/developers/reference#uploading-files */
export const FILE_LIMITS: FileLimits = { maxBytes: 10 * 1024 * 1024, maxCount: 10 };

const EPHEMERAL = 64;
const SEEN = encodeURIComponent("👀");
const WORKING = encodeURIComponent("✍️");
const CLOCK_SKEW_MS = 2_000;
const PAGE = 100;
const MAX_INTERRUPTED = 1_000;

/** Posts, edits and finds messages. Rejects with DeliveryFailed only. */
export class Posts {
  readonly #channel: string;
  readonly #rest: RestCalls;
  readonly #open: OpenInteractions;
  /** Ephemeral messages already sent of an interrupted answer: Discord takes no nonce for them. */
  readonly #sentEphemerals = new BoundedCache<string, string[]>(MAX_INTERRUPTED);

  constructor(channel: string, rest: RestCalls, open: OpenInteractions) {
    this.#channel = channel;
    this.#rest = rest;
    this.#open = open;
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const posts = renderOrFail(delivery, renderParts);
    const files = await readFiles(delivery, FILE_LIMITS);
    const interaction = await this.#interactionOf(delivery);
    // The answer to an interaction cannot be found again, so files are a message of their own.
    if (interaction !== undefined && files.length === 0) {
      const answered = await this.#answer(interaction, delivery, posts);
      if (answered !== "too-late") return answered;
    }
    return this.#post(delivery, posts, 0, files);
  }

  /** Only the answer to a command or button can be ephemeral. */
  async deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt> {
    const interaction = await this.#interactionOf(delivery);
    if (interaction?.ephemeral && interaction.accountId === accountId) {
      const answered = await this.#answer(interaction, delivery, renderOrFail(delivery, renderParts));
      if (answered !== "too-late") return answered;
    } else if (interaction !== undefined) {
      const route = Routes.webhookMessage(interaction.applicationId, interaction.token, "@original");
      // The answer goes to another conversation, so the "is thinking" message would never end.
      await this.#rest.call("delete", route, { auth: false }).catch(() => undefined);
    }
    throw new DeliveryFailed("rejected", "Discord shows only answers to slash commands and buttons to one person");
  }

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    const [post, ...more] = renderOrFail(delivery, renderParts);
    // Activity and drafts change repeatedly and must stay one message.
    if (more.length > 0 && delivery.reply.kind !== "final") {
      throw new DeliveryFailed("rejected", "the text is too long for one message");
    }
    const route = Routes.channelMessage(channelIdOf(delivery.target), messageId);
    await this.#rest.call("patch", route, { body: post });
    return more.length === 0 ? { messageId } : this.#post(delivery, more, 1);
  }

  /** Compares the text of messages since the reply was created, because Discord keeps nonces for minutes only. */
  async find(delivery: Delivery, botId: string): Promise<Receipt | "absent" | "unknown"> {
    // A retry of the answer to a command overwrites the first attempt.
    if ((await this.#interactionOf(delivery)) !== undefined) return "absent";
    const after = snowflakeAt(Date.parse(delivery.reply.createdAt) - CLOCK_SKEW_MS);
    const route = Routes.channelMessages(channelIdOf(delivery.target));
    const answer = await this.#rest.read(z.array(z.unknown()), "get", route, { query: { after, limit: String(PAGE) } });
    const own = answer
      .flatMap((each) => DiscordMessage.safeParse(each).data ?? [])
      .filter(({ author }) => author.id === botId);
    const texts = this.#textsOf(delivery);
    const found = own.filter(({ content }) => texts.includes(content.trim()));
    const last = found.filter(({ content }) => content.trim() === texts.at(-1));
    if (last.length === 1 && last[0]) return { messageId: last[0].id };
    return found.length === 0 && answer.length < PAGE ? "absent" : "unknown";
  }

  /** For a reply that cannot be rendered, the earlier attempt sent its plain text. */
  #textsOf(delivery: Delivery): readonly string[] {
    const trimmed = (posts: readonly Post[]) => posts.map(({ content }) => content.trim());
    try {
      return trimmed(renderOrFail(delivery, renderParts));
    } catch (error) {
      if (error instanceof RenderFailed) return trimmed(renderOrFail({ ...delivery, plain: true }, renderParts));
      throw error;
    }
  }

  async privateConversation(accountId: string): Promise<Conversation> {
    const body = { recipient_id: accountId };
    const { id } = await this.#rest.read(PrivateChannel, "post", Routes.userChannels(), { body });
    return { channel: this.#channel, room: id, kind: "private" };
  }

  async showTyping(conversation: Conversation): Promise<void> {
    await this.#rest.call("post", Routes.channelTyping(channelIdOf(conversation)));
  }

  async markSeen(conversation: Conversation, messageId: string): Promise<void> {
    await this.#rest.call("put", Routes.channelMessageOwnReaction(channelIdOf(conversation), messageId, SEEN));
  }

  async markWorking(conversation: Conversation, messageId: string): Promise<void> {
    await this.#rest.call("put", Routes.channelMessageOwnReaction(channelIdOf(conversation), messageId, WORKING));
  }

  async unmarkWorking(conversation: Conversation, messageId: string): Promise<void> {
    const route = Routes.channelMessageOwnReaction(channelIdOf(conversation), messageId, WORKING);
    await this.#rest.call("delete", route).catch((error: unknown) => {
      // The message has no such reaction.
      if (!(error instanceof DeliveryFailed) || error.reason !== "target-gone") throw error;
    });
  }

  /** `from`: number of messages of the part before these. */
  async #post(delivery: Delivery, posts: readonly Post[], from = 0, files: readonly ReadFile[] = []): Promise<Receipt> {
    const route = Routes.channelMessages(channelIdOf(delivery.target));
    let messageId = "";
    for (const [index, post] of posts.entries()) {
      const nonce = nonceOf(delivery.id, from + index);
      const body = { ...post, ...(from + index === 0 && referenceOf(delivery)), nonce, enforce_nonce: true };
      const isLast = index === posts.length - 1;
      ({ id: messageId } = await this.#rest.read(PostedMessage, "post", route, { body, ...(isLast && { files }) }));
    }
    return { messageId };
  }

  /** The first message replaces "is thinking", which is idempotent. */
  async #answer(
    { applicationId, token, ephemeral }: OpenInteraction,
    delivery: Delivery,
    posts: readonly Post[],
  ): Promise<Receipt | "too-late"> {
    let messageId = "";
    let rest = posts;
    if (delivery.part.index === 0) {
      const [first, ...others] = posts;
      const route = Routes.webhookMessage(applicationId, token, "@original");
      try {
        ({ id: messageId } = await this.#rest.read(PostedMessage, "patch", route, { body: first, auth: false }));
      } catch (error) {
        if (error instanceof DeliveryFailed && error.reason === "target-gone") return "too-late";
        throw error;
      }
      rest = others;
    }
    if (rest.length === 0) return { messageId };
    if (!ephemeral) return this.#post(delivery, rest, posts.length - rest.length);
    const route = Routes.webhook(applicationId, token);
    const sent = this.#sentEphemerals.get(delivery.id) ?? [];
    this.#sentEphemerals.set(delivery.id, sent);
    for (const post of rest.slice(sent.length)) {
      const body = { ...post, flags: EPHEMERAL };
      const { id } = await this.#rest.read(PostedMessage, "post", route, { body, auth: false });
      sent.push(id);
    }
    this.#sentEphemerals.delete(delivery.id);
    return { messageId: sent.at(-1) ?? messageId };
  }

  async #interactionOf({ reply: { correlationId }, target }: Delivery): Promise<OpenInteraction | undefined> {
    if (correlationId === undefined || !isInteractionMessageId(this.#channel, correlationId)) return undefined;
    try {
      const interaction = await this.#open.find(correlationId);
      return interaction?.channelId === channelIdOf(target) ? interaction : undefined;
    } catch (cause) {
      throw new DeliveryFailed("unavailable", "could not read the open interaction from the store", { cause });
    }
  }
}

/** In shared rooms an answer references the question, without a mention. */
const referenceOf = ({ answers, target, part }: Delivery) =>
  target.kind === "private" || part.index > 0 || answers === undefined || !/^\d{1,20}$/.test(answers)
    ? {}
    : { message_reference: { message_id: answers, fail_if_not_exists: false } };
