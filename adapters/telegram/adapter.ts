import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Attachment, InboundMessage } from "../../core/contract/messages/user-message.ts";
import type {
  AttachmentAdapter,
  CheckableAdapter,
  DirectMessageAdapter,
  EditingAdapter,
  HealthAdapter,
  MembershipAdapter,
  MovingRoomsAdapter,
  PermalinkAdapter,
  ReachAdapter,
  ReactingAdapter,
  RoomLimitsAdapter,
  RoomMove,
  TypingAdapter,
  UnreachableConversation,
  Webhook,
  WebhookAdapter,
  WorkMarkingAdapter,
} from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { pause } from "../contract/pause.ts";
import { RefusalThrottle } from "../contract/refusal-throttle.ts";
import { BotApi } from "./api/bot-api.ts";
import { checkTelegram } from "./api/check-live.ts";
import { fetchFile } from "./api/fetch-file.ts";
import { FILE_LIMITS, Posts } from "./api/posts.ts";
import { Reach } from "./api/reach.ts";
import { defaultTiming, type TelegramTiming } from "./api/timing.ts";
import { Buttons } from "./buttons.ts";
import type { TelegramConfig } from "./config.ts";
import { plainText } from "./html.ts";
import { permalinkOf } from "./inbound.ts";
import { Session } from "./intake/session.ts";
import { updatesWebhook, WEBHOOK_PATH } from "./intake/webhook.ts";
import { anchorLength, MAX_PART_LENGTH } from "./render.ts";

type Abilities = EditingAdapter &
  RoomLimitsAdapter &
  TypingAdapter &
  ReactingAdapter &
  WorkMarkingAdapter &
  PermalinkAdapter &
  DirectMessageAdapter &
  MembershipAdapter &
  ReachAdapter &
  MovingRoomsAdapter &
  AttachmentAdapter &
  WebhookAdapter &
  HealthAdapter &
  CheckableAdapter;

/** One bot: updates by long polling or webhook, and the Bot API for everything outgoing. */
export class TelegramAdapter implements Abilities {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly webhooks: readonly Webhook[];
  readonly #config: TelegramConfig;
  readonly #context: AdapterContext;
  readonly #timing: TelegramTiming;
  readonly #api: BotApi;
  readonly #buttons: Buttons;
  readonly #reach: Reach;
  readonly #posts: Posts;
  readonly #refusals: RefusalThrottle;
  readonly #inFlight = new Set<Promise<unknown>>();
  #reportMove: (move: RoomMove) => Promise<void> = async () => undefined;
  #session: Session | undefined;
  #stopping: Promise<void> | undefined;

  constructor(config: TelegramConfig, context: AdapterContext, timing: Partial<TelegramTiming> = {}) {
    this.channel = context.channel;
    this.#config = config;
    this.#context = context;
    this.#timing = { ...defaultTiming, ...timing };
    this.capabilities = {
      connection: config.mode === "polling" ? "exclusive" : "shared",
      resend: "repeats",
      maxPartLength: MAX_PART_LENGTH,
      anchorLength,
      editEveryMs: EDIT_EVERY_MS,
      ...(config.streaming && { streamEveryMs: STREAM_EVERY_MS }),
      files: FILE_LIMITS,
      reactions: config.reactions,
    };
    const token = config.botToken.reveal();
    this.#api = new BotApi({ apiUrl: config.apiUrl, token, timeoutMs: this.#timing.callMs });
    this.#buttons = new Buttons(this.channel, context.store);
    const { store, clock } = context;
    this.#reach = new Reach(this.channel, store, clock);
    this.#posts = new Posts(this.channel, { api: this.#api, buttons: this.#buttons, reach: this.#reach, clock });
    this.#refusals = new RefusalThrottle(context.clock);
    const secret = config.mode === "webhook" ? config.webhookSecret?.reveal() : undefined;
    const { logger } = context;
    const take = () => this.#session?.takeFromWebhook;
    this.webhooks = secret === undefined ? [] : [updatesWebhook({ secret, logger, take })];
  }

  reportMovesTo(report: (move: RoomMove) => Promise<void>): void {
    this.#reportMove = report;
  }

  async start(inbox: Inbox): Promise<void> {
    await this.#stopping;
    this.#stopping = undefined;
    this.#api.reopen();
    const session = new Session({
      config: this.#config,
      context: this.#context,
      timing: this.#timing,
      inbox,
      api: this.#api,
      buttons: this.#buttons,
      reach: this.#reach,
      webhookUrl: this.#webhookUrl,
      reportMove: (move) => this.#reportMove(move),
      showRefusal: (message, why) => this.#showRefusal(message, why),
    });
    this.#session = session;
    try {
      await session.start();
    } catch (error) {
      if (this.#session === session) this.#session = undefined;
      throw error;
    }
    if (this.#session !== session) throw new AppError("stopped", "the channel was stopped while it started");
  }

  deliver(delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery, () => this.#posts.deliver(delivery));
  }

  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.#send(delivery, () => this.#posts.edit(messageId, delivery));
  }

  /** Telegram allows about 20 messages and edits a minute in a group; this leaves 5 of them for answers. */
  limitsIn({ kind }: Conversation): { editEveryMs?: number } {
    return kind === "shared" ? { editEveryMs: GROUP_EDIT_EVERY_MS } : {};
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
    return this.#posts.unmarkWorking(conversation, messageId, this.#config.reactions === true);
  }

  async permalink(conversation: Conversation, messageId: string): Promise<string | undefined> {
    return permalinkOf(conversation, messageId);
  }

  privateConversation(accountId: string): Promise<Conversation> {
    return this.#posts.privateConversation(accountId);
  }

  /** Access that names only rooms admits no private conversation. */
  async isMember(): Promise<boolean> {
    return this.#config.access.accounts !== undefined;
  }

  unreachable(): AsyncIterable<UnreachableConversation> {
    return this.#reach.unreachable();
  }

  fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    return fetchFile(this.#api, attachment, maxBytes);
  }

  health(): { ok: true } | { ok: false; reason: string } {
    return this.#session?.health() ?? { ok: false, reason: "not connected" };
  }

  checkLive(): Promise<readonly string[]> {
    return checkTelegram(this.#api, this.#config, this.#webhookUrl);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    const ended = new AbortController();
    const late = pause(this.#context.clock, this.#timing.stopMs, ended.signal);
    const settled = Promise.allSettled([session?.stop(), ...this.#inFlight]);
    await Promise.race([settled, late]);
    ended.abort();
    this.#api.abort();
    await settled;
  }

  /** Tracks the call, so that a stop waits for it. */
  async #send<T>({ target }: Delivery, work: () => Promise<T>): Promise<T> {
    if (this.#session === undefined) {
      throw new DeliveryFailed("unavailable", "the channel is not running on this gateway");
    }
    if (target.channel !== this.channel) {
      throw new DeliveryFailed("rejected", `"${this.channel}" cannot deliver to "${target.channel}"`);
    }
    const sending = work();
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

  /** Everyone in a group sees it, because Telegram has no messages for one person there. */
  #showRefusal({ conversation, account, messageId }: InboundMessage, why: string): void {
    if (!this.#refusals.mayShow(account.id, conversation.room, why)) return;
    const { room, thread } = conversation;
    const body = {
      chat_id: Number(room),
      ...(thread !== undefined && { message_thread_id: Number(thread) }),
      ...(messageId !== undefined && {
        reply_parameters: { message_id: Number(messageId), allow_sending_without_reply: true },
      }),
      text: plainText(why),
    };
    void this.#api.send("sendMessage", body).catch((error: unknown) => {
      this.#context.logger.debug({ error: messageOf(error) }, "could not show the refusal");
    });
  }

  get #webhookUrl(): string {
    return `${this.#context.publicUrl}/channels/${this.channel}/${WEBHOOK_PATH}`;
  }
}

/** About one message or edit a second is allowed in a private chat. https://core.telegram.org/bots/faq#broadcasting-to-users */
const EDIT_EVERY_MS = 1_200;
const GROUP_EDIT_EVERY_MS = 4_000;
/** 30 calls a second are allowed in all; this leaves 20 of them for answers. */
const STREAM_EVERY_MS = 100;
