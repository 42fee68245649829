import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/conversation.ts";
import { Unwritable, whenWritable } from "../../core/contract/write-availability.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Inbox } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import type { DiscordAccessCheck } from "./access.ts";
import type { ChannelPlaces } from "./channel-places.ts";
import { isAddressed, isFromPerson, toUserMessage } from "./inbound.ts";
import type { KnownConversations } from "./known-conversations.ts";
import { pause, pauseAfter } from "./pause.ts";
import type { DiscordMessage } from "./platform-events.ts";
import type { RefusalNotices } from "./refusal-notices.ts";
import { justBefore } from "./snowflake.ts";
import type { DiscordTiming } from "./timing.ts";

export interface IntakeParts {
  readonly context: AdapterContext;
  readonly timing: DiscordTiming;
  readonly inbox: Inbox;
  readonly botId: () => string;
  readonly access: DiscordAccessCheck;
  readonly places: ChannelPlaces;
  readonly known: KnownConversations;
  readonly notices: RefusalNotices;
  /** What is not stored by then is fetched after the next start. */
  readonly stopping: AbortSignal;
}

const MOST_REMEMBERED = 10_000;

/** What people write. Discord has no acknowledgements, so a message is offered until it is stored or refused. */
export class Intake {
  readonly #parts: IntakeParts;
  /** Discord tells some events twice, and what is fetched after a gap may be told as well. */
  readonly #taken = new Set<string>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * `known`: the conversation it was fetched from, because fetched messages do not name their server. Resolves to false
   * if the channel stops before anything has come of it.
   */
  async take(message: DiscordMessage, known?: Conversation): Promise<boolean> {
    if (this.#taken.has(message.id)) return true;
    const done = await this.#untilDone(() => this.#takeOnce(message, known));
    if (!done) return false;
    this.#parts.known.hasRead(message.channel_id, message.id);
    if (this.#taken.size >= MOST_REMEMBERED) this.#taken.clear();
    this.#taken.add(message.id);
    return true;
  }

  async #takeOnce(message: DiscordMessage, fetchedFrom: Conversation | undefined): Promise<void> {
    const { access, places, known, inbox, context } = this.#parts;
    const botId = this.#parts.botId();
    if (!isFromPerson(message)) return;
    const isPrivate = fetchedFrom ? fetchedFrom.kind === "private" : !message.guild_id;
    if (!isPrivate && access.mentionOnly && !isAddressed(message, botId)) return;
    // Asked for fetched messages too: a private thread may have been stored as a thread of its channel.
    const conversation =
      fetchedFrom?.kind === "private"
        ? fetchedFrom
        : await places.conversationIn(message.channel_id, message.guild_id ?? fetchedFrom?.workspace);
    if (conversation === undefined || !access.allowsPlace(conversation)) return;
    const said = toUserMessage(message, conversation, botId, context);
    if (said === undefined) return;
    try {
      if (!(await access.mayWrite(conversation, message.author.id))) throw notAllowed();
      // Before it is offered: if this process dies in between, it is fetched again.
      await known.add(conversation, justBefore(message.id));
      await inbox.accept(said);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#parts.notices.tell(said, message.id, messageOf(error));
    }
  }

  /** In order: the messages behind it in its channel wait. Nothing comes of it only if the channel stops. */
  async #untilDone(work: () => Promise<void>): Promise<boolean> {
    const { context, timing, stopping } = this.#parts;
    for (let failures = 1; !stopping.aborted; failures++) {
      // Discord does not redeliver: the message is kept here until it can be stored.
      await whenWritable(context.writes, stopping);
      if (stopping.aborted) return false;
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof Unwritable) continue;
        const asked = error instanceof DeliveryFailed ? (error.retryAfterMs ?? 0) : 0;
        const pauseMs = Math.max(asked, pauseAfter(failures, timing));
        context.logger.warn({ error: messageOf(error), retryInMs: pauseMs }, "a message could not be taken in yet");
        await pause(context.clock, pauseMs, stopping);
      }
    }
    return false;
  }
}

/** Offering it again would change nothing. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ["forbidden", "rate-limited", "bad-input", "too-large"].includes(error.code) &&
  !(error instanceof DeliveryFailed);

export const notAllowed = (): AppError =>
  new AppError("forbidden", "this agent does not talk to you here: ask whoever runs it for access");
