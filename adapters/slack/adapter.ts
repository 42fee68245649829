import type { webApi } from "@slack/bolt";
import { AppError } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Attachment, FromPerson } from "../../core/contract/messages/user-message.ts";
import type {
  ReactingAdapter,
  RoomsAdapter,
  Webhook,
  WebhookAdapter,
  WorkMarkingAdapter,
} from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { RefusalThrottle } from "../contract/refusal-throttle.ts";
import { Profiles } from "./author.ts";
import { checkSlack } from "./check-live.ts";
import type { SlackConfig } from "./config.ts";
import { deliveryFailure, explain, slackErrorOf } from "./failure.ts";
import { fetchFile } from "./files/fetch-file.ts";
import { FILE_LIMITS } from "./files/upload-files.ts";
import { httpReceiver } from "./http-receiver.ts";
import { COMMAND_PREFIX, permalinkOf, THREAD_COMMAND_PREFIX } from "./inbound.ts";
import { Intake } from "./intake.ts";
import { findPost, Posts } from "./posts.ts";
import { anchorText, MAX_PART_LENGTH } from "./render.ts";
import { SocketReceiver } from "./socket/socket-receiver.ts";
import { ThreadRoots } from "./thread-roots.ts";
import type { SlackIdentity, SlackLimits, WebApiOptions } from "./web-api.ts";
import { defaultSlackLimits, identify, webApiClient } from "./web-api.ts";

/** State of a started channel. */
interface Running {
  readonly identity: SlackIdentity;
  readonly client: webApi.WebClient;
  readonly intake: Intake;
  readonly socket: SocketReceiver | undefined;
  readonly aborter: AbortController;
}

/**
 * One workspace. It uses Bolt's signature check, Socket Mode client and Web API client, but not Bolt's App, which
 * acknowledges events before they are stored.
 */
export class SlackAdapter implements RoomsAdapter, ReactingAdapter, WorkMarkingAdapter, WebhookAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly webhooks: readonly Webhook[];
  readonly #config: SlackConfig;
  readonly #context: AdapterContext;
  readonly #limits: SlackLimits;
  readonly #posts: Posts;
  readonly #refusals: RefusalThrottle;
  readonly #deliveries = new Set<Promise<unknown>>();
  #running: Running | undefined;
  #starting: AbortController | undefined;
  #stopping: Promise<void> | undefined;
  #isStopped = false;
  #removed: string | undefined;
  #noTypingUntil = 0;

  constructor(config: SlackConfig, context: AdapterContext, limits = defaultSlackLimits) {
    const { clock, logger } = context;
    this.channel = context.channel;
    this.#config = config;
    this.#context = context;
    this.#limits = limits;
    this.#posts = new Posts(this.channel, config.apiUrl, clock, (use) => this.#call(use));
    this.#refusals = new RefusalThrottle(clock);
    this.capabilities = {
      connection: config.appToken ? "exclusive" : "shared",
      resend: "repeats",
      maxPartLength: MAX_PART_LENGTH,
      anchorLength: (anchor) => anchorText(anchor).length,
      commandPrefix: COMMAND_PREFIX,
      threadCommandPrefix: THREAD_COMMAND_PREFIX,
      editEveryMs: 1_500,
      ...(config.streaming && { streamEveryMs: STREAM_EVERY_MS }),
      files: FILE_LIMITS,
      reactions: config.reactions,
    };
    const signingSecret = config.signingSecret?.reveal();
    const intake = () => (this.#isStopped ? undefined : this.#running?.intake);
    this.webhooks = signingSecret ? [httpReceiver({ signingSecret, clock, logger, intake })] : [];
  }

  async start(inbox: Inbox): Promise<void> {
    await this.#stopping;
    this.#stopping = undefined;
    this.#isStopped = false;
    const { clock, logger } = this.#context;
    const aborter = new AbortController();
    this.#starting = aborter;
    const api = this.#apiOptions(aborter.signal);
    const client = webApiClient(this.#config.botToken.reveal(), api);
    const identity = await identify(client).catch((error: unknown) => {
      throw deliveryFailure(error);
    });
    const profiles = new Profiles(client, clock, this.#limits.profileMs);
    const intake = new Intake({
      context: this.#context,
      inbox,
      identity,
      access: this.#config.access,
      profiles,
      roots: new ThreadRoots({ client, clock, profiles, identity }, this.#limits.profileMs),
      privateConversation: (user) => this.privateConversation(user),
      showRefusal: (message, why) => this.#showRefusal(message, why),
      onRemoved: (reason) => this.#onRemoved(reason),
    });
    if (this.#isStopped) throw new AppError("stopped", "the channel was stopped while it started");
    const appToken = this.#config.appToken?.reveal();
    const socket = appToken
      ? new SocketReceiver({ appToken, api, clock, logger, limits: this.#limits, intake })
      : undefined;
    this.#removed = undefined;
    this.#running = { identity, client, intake, socket, aborter };
    await socket?.start();
  }

  deliver(delivery: Delivery): Promise<Receipt> {
    return this.#posts.deliver(delivery);
  }

  edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    return this.#posts.edit(messageId, delivery);
  }

  deliverOnlyTo(accountId: string, delivery: Delivery): Promise<Receipt> {
    return this.#posts.deliverOnlyTo(accountId, delivery);
  }

  privateConversation(accountId: string): Promise<Conversation> {
    return this.#posts.privateConversation(accountId);
  }

  find(delivery: Delivery): Promise<Receipt | "absent" | "unknown"> {
    return this.#call(({ client }) => findPost(client, delivery));
  }

  async permalink({ room, thread }: Conversation, messageId: string): Promise<string | undefined> {
    const teamUrl = this.#running?.identity.teamUrl;
    return teamUrl === undefined ? undefined : permalinkOf(teamUrl, room, messageId, thread);
  }

  /** Slack shows a status in threads only, and only for apps with assistant:write. */
  async showTyping({ room, thread }: Conversation): Promise<void> {
    const { clock } = this.#context;
    if (thread === undefined || clock.monotonic() < this.#noTypingUntil) return;
    try {
      const status = "is working on it…";
      await this.#running?.client.assistant.threads.setStatus({ channel_id: room, thread_ts: thread, status });
    } catch (error) {
      this.#noTypingUntil = clock.monotonic() + (slackErrorOf(error) === "missing_scope" ? HOUR_MS : MINUTE_MS);
      throw error;
    }
  }

  markSeen({ room }: Conversation, messageId: string): Promise<void> {
    return this.#posts.markSeen(room, messageId);
  }

  markWorking({ room }: Conversation, messageId: string): Promise<void> {
    return this.#posts.markWorking(room, messageId);
  }

  unmarkWorking({ room }: Conversation, messageId: string): Promise<void> {
    return this.#posts.unmarkWorking(room, messageId);
  }

  async fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    return this.#call(({ client, aborter }) => {
      const token = this.#config.botToken.reveal();
      return fetchFile({ client, token, apiUrl: this.#config.apiUrl, signal: aborter.signal }, attachment, maxBytes);
    });
  }

  health(): { ok: true } | { ok: false; reason: string } {
    const reason = this.#removed ?? this.#running?.socket?.problem;
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  async checkLive(): Promise<readonly string[]> {
    const api = this.#apiOptions(new AbortController().signal);
    const bot = webApiClient(this.#config.botToken.reveal(), api);
    const appToken = this.#config.appToken?.reveal();
    return checkSlack({ config: this.#config, bot, app: appToken ? webApiClient(appToken, api) : undefined });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    const running = this.#running;
    // A start that waits for Slack must not delay the stop.
    if (running === undefined) return this.#starting?.abort();
    const { clock } = this.#context;
    const timer = clock.after(this.#limits.stopMs, () => running.aborter.abort());
    await Promise.allSettled([running.socket?.stop(), ...this.#deliveries]);
    timer.cancel();
    running.aborter.abort();
    this.#running = undefined;
  }

  /** Tracks the call, so that a stop waits for it. */
  async #call<T>(call: (running: Running) => Promise<T>): Promise<T> {
    const running = this.#running;
    if (running === undefined || this.#isStopped) {
      throw new DeliveryFailed("unavailable", "the channel is not running on this gateway");
    }
    const inFlight = call(running);
    this.#deliveries.add(inFlight);
    try {
      return await inFlight;
    } finally {
      this.#deliveries.delete(inFlight);
    }
  }

  #showRefusal({ conversation, account }: FromPerson, why: string): void {
    const { room, thread } = conversation;
    if (!this.#refusals.mayShow(account.id, why)) return;
    void this.#running?.client.chat
      .postEphemeral({ channel: room, user: account.id, text: why, ...(thread !== undefined && { thread_ts: thread }) })
      .catch((error: unknown) => this.#context.logger.debug({ error: explain(error) }, "could not show the refusal"));
  }

  #onRemoved(reason: string): void {
    this.#removed = `${reason}: install it again and update botToken`;
    this.#context.logger.error({ reason: this.#removed }, "Slack app removed from the workspace");
  }

  #apiOptions(signal: AbortSignal): WebApiOptions {
    const { apiUrl } = this.#config;
    return { apiUrl, timeoutMs: this.#limits.callMs, logger: this.#context.logger, signal };
  }
}

/** Slack accepts about 50 edits a minute from an app in a workspace; this leaves 20 of them for answers. */
const STREAM_EVERY_MS = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
