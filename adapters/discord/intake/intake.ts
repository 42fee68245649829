import { Routes } from "discord.js";
import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { InboundMessage } from "../../../core/contract/messages/user-message.ts";
import { Unwritable, whenWritable } from "../../../core/contract/ports/backbone.ts";
import { textsFor } from "../../../core/contract/texts/texts.ts";
import { errorText, ToldError } from "../../../core/contract/texts/told-error.ts";
import type { AdapterContext } from "../../contract/adapter-context.ts";
import type { Inbox } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import { pause } from "../../contract/pause.ts";
import { RefusalThrottle } from "../../contract/refusal-throttle.ts";
import type { RestCalls } from "../api/rest-calls.ts";
import type { DiscordTiming } from "../api/timing.ts";
import { pauseAfter } from "../api/timing.ts";
import { isAddressed, isFromPerson, toUserMessage } from "../inbound.ts";
import type { DiscordMessage } from "../payload.ts";
import { channelIdOf, justBefore } from "../payload.ts";
import type { DiscordAccessCheck } from "./access.ts";
import type { ChannelDirectory } from "./channel-directory.ts";
import type { KnownConversations } from "./missed-messages.ts";

export interface IntakeDeps {
  readonly context: AdapterContext;
  readonly timing: DiscordTiming;
  readonly inbox: Inbox;
  readonly botId: () => string;
  readonly access: DiscordAccessCheck;
  readonly channels: ChannelDirectory;
  readonly known: KnownConversations;
  readonly rest: RestCalls;
  /** The next start fetches messages that are not stored by then. */
  readonly stopping: AbortSignal;
}

const MAX_RECENT = 10_000;

/** Intake of messages. Discord has no acknowledgements, so it retries each message until it is stored or refused. */
export class Intake {
  readonly #deps: IntakeDeps;
  /** Deduplicates: Discord sends some events twice, and `catchUp` may fetch a message that also arrives as an event. */
  readonly #recent = new BoundedCache<string, true>(MAX_RECENT);
  readonly #refusals: RefusalThrottle;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#refusals = new RefusalThrottle(deps.context.clock);
  }

  /**
   * `known`: the conversation that the message was fetched from, because fetched messages do not name their server.
   * Resolves to false if the channel stops before the message is stored, ignored or refused.
   */
  async take(message: DiscordMessage, known?: Conversation): Promise<boolean> {
    if (this.#recent.has(message.id)) return true;
    const done = await this.#untilDone(() => this.#takeOnce(message, known));
    if (!done) return false;
    this.#deps.known.hasRead(message.channel_id, message.id);
    this.#recent.set(message.id, true);
    return true;
  }

  async #takeOnce(message: DiscordMessage, fetchedFrom: Conversation | undefined): Promise<void> {
    const { access, channels, known, inbox, context } = this.#deps;
    const botId = this.#deps.botId();
    if (!isFromPerson(message)) return;
    const isPrivate = fetchedFrom ? fetchedFrom.kind === "private" : !message.guild_id;
    if (!isPrivate && access.mentionOnly && !isAddressed(message, botId)) return;
    // Also looked up for fetched messages: a private thread may be stored as a thread of its channel.
    const conversation =
      fetchedFrom?.kind === "private"
        ? fetchedFrom
        : await channels.conversationIn(message.channel_id, message.guild_id ?? fetchedFrom?.workspace);
    if (conversation === undefined || !access.allowsConversation(conversation)) return;
    const userMessage = toUserMessage(message, conversation, botId, context);
    if (userMessage === undefined) return;
    try {
      if (!(await access.mayWrite(conversation, message.author.id))) throw notAllowed();
      // Stored before the message: after a crash in between, the next start fetches the message again.
      await known.add(conversation, justBefore(message.id));
      await inbox.accept(userMessage);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#showRefusal(userMessage, message.id, errorText(error, textsFor(userMessage.account.locale)));
    }
  }

  async #showRefusal({ account, conversation }: InboundMessage, messageId: string, why: string): Promise<void> {
    if (!this.#refusals.mayShow(account.id)) return;
    const body = {
      content: why,
      allowed_mentions: { parse: [] },
      message_reference: { message_id: messageId, fail_if_not_exists: false },
    };
    const route = Routes.channelMessages(channelIdOf(conversation));
    // Best effort: the refusal holds whether or not the person sees the notice.
    await this.#deps.rest.call("post", route, { body }).catch(() => undefined);
  }

  /** Later messages of the channel wait behind it, which preserves the order. False only if the channel stops. */
  async #untilDone(work: () => Promise<void>): Promise<boolean> {
    const { context, timing, stopping } = this.#deps;
    for (let failures = 1; !stopping.aborted; failures++) {
      // Discord does not redeliver, so the message waits here until the store accepts writes.
      await whenWritable(context.writes, stopping);
      if (stopping.aborted) return false;
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof Unwritable) continue;
        const asked = error instanceof DeliveryFailed ? (error.retryAfterMs ?? 0) : 0;
        const pauseMs = Math.max(asked, pauseAfter(failures, timing));
        context.logger.warn({ error: messageOf(error), retryInMs: pauseMs }, "could not store a message, retrying");
        await pause(context.clock, pauseMs, stopping);
      }
    }
    return false;
  }
}

/** True if the inbox refused the message, so that a retry would be refused too. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ["forbidden", "rate-limited", "bad-input", "too-large"].includes(error.code) &&
  !(error instanceof DeliveryFailed);

export const notAllowed = (): AppError => new ToldError("forbidden", ({ refusals }) => refusals.notAllowed);
