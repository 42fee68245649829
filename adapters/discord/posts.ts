import { Routes } from "discord.js";
import { z } from "zod";
import type { Conversation } from "../../core/contract/conversation.ts";
import type { Delivery, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed, draw, NotDrawn } from "../contract/delivery-failed.ts";
import { isInteractionMessageId } from "./interaction-inbound.ts";
import type { OpenInteraction, OpenInteractions } from "./open-interactions.ts";
import { channelIdOf } from "./permalink.ts";
import { DiscordMessage, PostedMessage, PrivateChannel } from "./platform-events.ts";
import type { Post } from "./render.ts";
import { nonceOf, renderParts } from "./render.ts";
import type { RestCalls } from "./rest-calls.ts";
import { snowflakeAt } from "./snowflake.ts";

const EPHEMERAL = 64;
const CLOCKS_DIFFER_MS = 2_000;
const PAGE = 100;
const MOST_REMEMBERED = 1_000;

/** What the bot says, and the changes to it. Rejects with DeliveryFailed only. */
export class Posts {
  readonly #channel: string;
  readonly #rest: RestCalls;
  readonly #open: OpenInteractions;
  /** What one person has seen of an answer that did not get through as a whole: such messages take no nonce. */
  readonly #saidOnlyTo = new Map<string, string[]>();

  constructor(channel: string, rest: RestCalls, open: OpenInteractions) {
    this.#channel = channel;
    this.#rest = rest;
    this.#open = open;
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const posts = draw(delivery, renderParts);
    const interaction = await this.#interactionOf(delivery);
    if (interaction !== undefined) {
      const answered = await this.#answer(interaction, delivery, posts);
      if (answered !== "too-late") return answered;
    }
    return this.#post(delivery, posts);
  }

  /** Only the answer to a command can be shown to one person. */
  async deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt> {
    const interaction = await this.#interactionOf(delivery);
    if (interaction?.ephemeral && interaction.accountId === accountId) {
      const answered = await this.#answer(interaction, delivery, draw(delivery, renderParts));
      if (answered !== "too-late") return answered;
    } else if (interaction !== undefined) {
      const route = Routes.webhookMessage(interaction.applicationId, interaction.token, "@original");
      // What says that an answer is coming would stay for ever: it comes elsewhere.
      await this.#rest.call("delete", route, { auth: false }).catch(() => undefined);
    }
    throw new DeliveryFailed("rejected", "Discord shows only answers to slash commands and buttons to one person");
  }

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    const [post, ...more] = draw(delivery, renderParts);
    // What changes again and again must stay one message.
    if (more.length > 0 && delivery.reply.kind !== "final") {
      throw new DeliveryFailed("rejected", "the text is too long to be put into one message");
    }
    const route = Routes.channelMessage(channelIdOf(delivery.target), messageId);
    await this.#rest.call("patch", route, { body: post });
    return more.length === 0 ? { messageId } : this.#post(delivery, more, 1);
  }

  /** Looks among the messages since the reply was made. Discord keeps nonces for minutes, so the text has to tell. */
  async find(delivery: Delivery, botId: string): Promise<Receipt | "absent" | "cannot-tell"> {
    // The answer to a command is written over itself.
    if ((await this.#interactionOf(delivery)) !== undefined) return "absent";
    const after = snowflakeAt(Date.parse(delivery.reply.createdAt) - CLOCKS_DIFFER_MS);
    const route = Routes.channelMessages(channelIdOf(delivery.target));
    const answer = await this.#rest.read(z.array(z.unknown()), "get", route, { query: { after, limit: String(PAGE) } });
    const own = answer
      .flatMap((each) => DiscordMessage.safeParse(each).data ?? [])
      .filter(({ author }) => author.id === botId);
    const texts = this.#textsOf(delivery);
    const found = own.filter(({ content }) => texts.includes(content.trim()));
    const last = found.filter(({ content }) => content.trim() === texts.at(-1));
    if (last.length === 1 && last[0]) return { messageId: last[0].id };
    return found.length === 0 && answer.length < PAGE ? "absent" : "cannot-tell";
  }

  /** Of a reply that cannot be drawn, the plain text was sent. */
  #textsOf(delivery: Delivery): readonly string[] {
    const trimmed = (posts: readonly Post[]) => posts.map(({ content }) => content.trim());
    try {
      return trimmed(draw(delivery, renderParts));
    } catch (error) {
      if (error instanceof NotDrawn) return trimmed(draw({ ...delivery, plain: true }, renderParts));
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

  /** `from`: how many messages of the part come before these. */
  async #post(delivery: Delivery, posts: readonly Post[], from = 0): Promise<Receipt> {
    const route = Routes.channelMessages(channelIdOf(delivery.target));
    let messageId = "";
    for (const [index, post] of posts.entries()) {
      const nonce = nonceOf(delivery.id, from + index);
      const body = { ...post, ...(from + index === 0 && referenceOf(delivery)), nonce, enforce_nonce: true };
      ({ id: messageId } = await this.#rest.read(PostedMessage, "post", route, { body }));
    }
    return { messageId };
  }

  /** The first message takes the place of "is thinking", which may be done twice. */
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
    const said = this.#saidOnlyTo.get(delivery.id) ?? [];
    if (this.#saidOnlyTo.size >= MOST_REMEMBERED) this.#saidOnlyTo.clear();
    this.#saidOnlyTo.set(delivery.id, said);
    for (const post of rest.slice(said.length)) {
      const body = { ...post, flags: EPHEMERAL };
      const { id } = await this.#rest.read(PostedMessage, "post", route, { body, auth: false });
      said.push(id);
    }
    this.#saidOnlyTo.delete(delivery.id);
    return { messageId: said.at(-1) ?? messageId };
  }

  async #interactionOf({ reply: { correlationId }, target }: Delivery): Promise<OpenInteraction | undefined> {
    if (correlationId === undefined || !isInteractionMessageId(this.#channel, correlationId)) return undefined;
    try {
      const interaction = await this.#open.find(correlationId);
      return interaction?.channelId === channelIdOf(target) ? interaction : undefined;
    } catch (cause) {
      throw new DeliveryFailed("unavailable", "the store does not say how to answer the command", { cause });
    }
  }
}

/** In a room full of people an answer says what it answers, without calling anybody. */
const referenceOf = ({ reply, target, part }: Delivery) => {
  const asked = /:(\d{17,20})$/.exec(reply.correlationId ?? "")?.[1];
  if (target.kind === "private" || part.index > 0 || asked === undefined) return {};
  if (!reply.correlationId?.startsWith(`${target.channel}:`) || reply.correlationId.includes(":interaction:"))
    return {};
  return { message_reference: { message_id: asked, fail_if_not_exists: false } };
};
