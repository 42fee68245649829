import { messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Attachment } from "../../core/contract/messages/user-message.ts";
import type { MembershipAdapter, ReactingAdapter, RoomsAdapter, WorkMarkingAdapter } from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { pause } from "../contract/pause.ts";
import { checkLive } from "./api/check-live.ts";
import { fetchAttachment } from "./api/fetch-attachment.ts";
import { OpenInteractions } from "./api/open-interactions.ts";
import { FILE_LIMITS, Posts } from "./api/posts.ts";
import { RestCalls } from "./api/rest-calls.ts";
import type { DiscordTiming } from "./api/timing.ts";
import { defaultTiming } from "./api/timing.ts";
import type { DiscordConfig } from "./config.ts";
import { DiscordAccessCheck } from "./intake/access.ts";
import { Session } from "./intake/session.ts";
import { permalink } from "./payload.ts";
import { MAX_PART_LENGTH, renderAnchor } from "./render.ts";

/** Discord: one gateway connection for incoming events, and the REST API for everything outgoing. */
export class DiscordAdapter implements RoomsAdapter, ReactingAdapter, WorkMarkingAdapter, MembershipAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly #config: DiscordConfig;
  readonly #context: AdapterContext;
  readonly #timing: DiscordTiming;
  readonly #rest: RestCalls;
  readonly #access: DiscordAccessCheck;
  readonly #open: OpenInteractions;
  readonly #posts: Posts;
  readonly #inFlight = new Set<Promise<unknown>>();
  #session: Session | undefined;
  #stopping: Promise<void> | undefined;

  constructor(config: DiscordConfig, context: AdapterContext, timing: Partial<DiscordTiming> = {}) {
    this.channel = context.channel;
    this.capabilities = {
      connection: "exclusive",
      resend: "idempotent",
      maxPartLength: MAX_PART_LENGTH,
      anchorLength: (anchor) => renderAnchor(anchor, anchor.startedAt).length,
      // Discord allows about 5 edits in 5 s per channel, and 50 requests a second per bot.
      editEveryMs: 1_200,
      ...(config.streaming && { streamEveryMs: 100 }),
      files: FILE_LIMITS,
      reactions: config.reactions,
    };
    this.#config = config;
    this.#context = context;
    this.#timing = { ...defaultTiming, ...timing };
    const { clock, store } = context;
    const { requestWithinMs } = this.#timing;
    this.#rest = new RestCalls({ apiUrl: config.apiUrl, token: config.botToken.reveal(), clock, requestWithinMs });
    this.#access = new DiscordAccessCheck(config.access, this.#rest, clock);
    this.#open = new OpenInteractions(store);
    this.#posts = new Posts(this.channel, this.#rest, this.#open);
  }

  async start(inbox: Inbox): Promise<void> {
    await this.#stopping;
    this.#stopping = undefined;
    const session = new Session({
      config: this.#config,
      context: this.#context,
      timing: this.#timing,
      inbox,
      rest: this.#rest,
      access: this.#access,
      open: this.#open,
    });
    this.#session = session;
    try {
      await session.start();
    } catch (error) {
      await session.stop();
      if (this.#session === session) this.#session = undefined;
      throw error;
    }
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const receipt = await this.#send(delivery, () => this.#posts.deliver(delivery));
    await this.#session?.rememberConversation(delivery.target, receipt.messageId);
    return receipt;
  }

  deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery, () => this.#posts.deliverOnlyTo(accountId, delivery));
  }

  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery, () => this.#posts.edit(messageId, delivery));
  }

  find(delivery: Delivery): Promise<Receipt | "absent" | "unknown"> {
    return this.#send(delivery, (session) => this.#posts.find(delivery, session.botId));
  }

  async privateConversation(accountId: string): Promise<Conversation> {
    return this.#posts.privateConversation(accountId);
  }

  isMember(conversation: Conversation, accountId: string): Promise<boolean> {
    return this.#access.maySee(conversation, accountId);
  }

  showTyping(conversation: Conversation): Promise<void> {
    return this.#posts.showTyping(conversation);
  }

  markSeen(conversation: Conversation, messageId: string): Promise<void> {
    return this.#posts.markSeen(conversation, messageId);
  }

  markWorking(conversation: Conversation, messageId: string): Promise<void> {
    return this.#posts.markWorking(conversation, messageId);
  }

  unmarkWorking(conversation: Conversation, messageId: string): Promise<void> {
    return this.#posts.unmarkWorking(conversation, messageId);
  }

  async permalink(conversation: Conversation, messageId: string): Promise<string> {
    return permalink(conversation, messageId);
  }

  fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    return fetchAttachment(this.#rest, this.#config.apiUrl, attachment, maxBytes);
  }

  health(): { ok: true } | { ok: false; reason: string } {
    return this.#session?.health() ?? { ok: false, reason: "not connected" };
  }

  checkLive(): Promise<readonly string[]> {
    return checkLive(this.#rest, this.#config.access);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await Promise.all([session?.stop(), this.#finishDeliveries()]);
    this.#rest.abort();
  }

  async #finishDeliveries(): Promise<void> {
    const ended = new AbortController();
    const late = pause(this.#context.clock, this.#timing.stopWithinMs, ended.signal);
    await Promise.race([Promise.allSettled(this.#inFlight), late]);
    ended.abort();
    this.#rest.abort();
    await Promise.allSettled(this.#inFlight);
  }

  async #send<T>({ target }: Delivery, work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session;
    if (session === undefined) throw new DeliveryFailed("unavailable", "the channel is not connected");
    if (target.channel !== this.channel) {
      throw new DeliveryFailed("rejected", `"${this.channel}" cannot deliver to "${target.channel}"`);
    }
    const sending = work(session);
    this.#inFlight.add(sending);
    try {
      return await sending;
    } catch (error) {
      if (error instanceof DeliveryFailed) throw error;
      throw new DeliveryFailed("unknown", messageOf(error), { cause: error });
    } finally {
      this.#inFlight.delete(sending);
    }
  }
}
