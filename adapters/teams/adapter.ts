import type { AppError } from "../../core/contract/app-error.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Attachment, InboundMessage } from "../../core/contract/messages/user-message.ts";
import { textsFor } from "../../core/contract/texts/texts.ts";
import { errorText, readerOf } from "../../core/contract/texts/told-error.ts";
import type {
  AttachmentAdapter,
  CheckableAdapter,
  DirectMessageAdapter,
  EditingAdapter,
  HealthAdapter,
  PermalinkAdapter,
  ReachAdapter,
  RoomLimitsAdapter,
  TypingAdapter,
  UnreachableConversation,
  Webhook,
  WebhookAdapter,
} from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { RefusalThrottle } from "../contract/refusal-throttle.ts";
import { renderOrFail } from "../contract/render-delivery.ts";
import type { Activity } from "./activity.ts";
import { BotToken, SignInCheck } from "./api/bot-token.ts";
import { Calls, RoomCalls } from "./api/calls.ts";
import { checkTeams } from "./api/check-live.ts";
import type { Address, OutgoingActivity } from "./api/connector.ts";
import { Connector } from "./api/connector.ts";
import { fetchFile } from "./api/fetch-file.ts";
import { reasonText } from "./api/reach-state.ts";
import type { Reference } from "./api/references.ts";
import { References } from "./api/references.ts";
import { SigningKeys } from "./api/signing-keys.ts";
import type { TeamsConfig } from "./config.ts";
import { fileLimitsIn, withFile } from "./files/sent-files.ts";
import { conversationId, messageLink } from "./inbound.ts";
import { receiveActivity } from "./intake.ts";
import { escapeXml } from "./markdown.ts";
import { anchorBytes, MAX_PART_LENGTH, renderDelivery, sourceSize } from "./render.ts";

const MAX_BODY_BYTES = 256 * 1024;

type Abilities = WebhookAdapter &
  EditingAdapter &
  TypingAdapter &
  PermalinkAdapter &
  DirectMessageAdapter &
  AttachmentAdapter &
  ReachAdapter &
  HealthAdapter &
  RoomLimitsAdapter &
  CheckableAdapter;

/** Microsoft Teams: activities arrive by webhook, and answers go to the service address of the activity. */
export class TeamsAdapter implements Abilities {
  readonly channel: string;
  readonly capabilities: Capabilities;
  readonly webhooks: readonly Webhook[];
  readonly #config: TeamsConfig;
  readonly #context: AdapterContext;
  readonly #botId: string;
  readonly #token: BotToken;
  readonly #signInCheck: SignInCheck;
  readonly #keys: SigningKeys;
  readonly #connector: Connector;
  readonly #references: References;
  readonly #refusals: RefusalThrottle;
  readonly #calls: Calls;
  readonly #rooms: RoomCalls;
  #inbox: Inbox | undefined;

  constructor(config: TeamsConfig, context: AdapterContext) {
    this.channel = context.channel;
    this.capabilities = {
      connection: "shared",
      resend: "repeats",
      maxPartLength: MAX_PART_LENGTH,
      anchorLength: anchorBytes,
      measure: sourceSize,
      // Teams counts edits as messages. Of 1,800 an hour per conversation this leaves 360 for answers; of 50 a second
      // per bot, streams take 10.
      editEveryMs: 2_500,
      files: fileLimitsIn({ kind: "shared" }),
      ...(config.streaming && { streamEveryMs: 100 }),
    };
    this.#config = config;
    this.#context = context;
    this.#botId = `28:${config.appId}`;
    this.#token = new BotToken(config);
    this.#signInCheck = new SignInCheck(this.#token, context.clock);
    this.#keys = new SigningKeys(config.openIdMetadataUrl, context.clock);
    this.#connector = new Connector(this.#token, context.clock);
    this.#references = new References(context.store, context.channel);
    this.#refusals = new RefusalThrottle(context.clock);
    this.#calls = new Calls(context.clock);
    const { channel, clock } = context;
    const { serviceUrls } = config;
    const calling = { calls: this.#calls, references: this.#references, token: this.#token };
    this.#rooms = new RoomCalls({ channel, serviceUrls, clock, ...calling });
    const intake = {
      config,
      context,
      references: this.#references,
      keys: this.#keys,
      botId: this.#botId,
      replaceCard: (activity: Activity, card: OutgoingActivity) => this.#replaceCard(activity, card),
      showRefusal: (message: InboundMessage, refusal: AppError) => this.#showRefusal(message, refusal),
    };
    this.webhooks = [
      {
        method: "POST",
        path: "messages",
        maxBodyBytes: MAX_BODY_BYTES,
        handle: async (request) =>
          this.#inbox ? receiveActivity(request, this.#inbox, intake) : { status: 503, body: "not ready" },
      },
    ];
  }

  async start(inbox: Inbox): Promise<void> {
    this.#inbox = inbox;
    this.#calls.open();
    this.#signInCheck.start();
  }

  async stop(): Promise<void> {
    this.#inbox = undefined;
    this.#signInCheck.stop();
    await this.#calls.close();
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const { target, firstMessageId } = delivery;
    const rendered = renderOrFail(delivery, renderDelivery);
    const activity = delivery.files === undefined ? rendered : await withFile(this.#context, delivery, rendered);
    const messageId = await this.#rooms.call(delivery, (reference, signal) => {
      const address = addressIn(target, reference, firstMessageId);
      const isNewThread = reference.kind === "channel" && (target.thread ?? firstMessageId) === undefined;
      return isNewThread
        ? this.#connector.startThread(address, this.#bot, activity, signal)
        : this.#connector.send(address, activity, signal);
    });
    if (!messageId) throw new DeliveryFailed("unknown", "Teams returned no message id");
    return { messageId };
  }

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    const { target, firstMessageId = messageId } = delivery;
    const activity = renderOrFail(delivery, renderDelivery);
    await this.#rooms.call(delivery, (reference, signal) =>
      this.#connector.update(addressIn(target, reference, firstMessageId), messageId, activity, signal),
    );
    return { messageId };
  }

  /** Files go into the storage of a person, which only private chats have. */
  limitsIn(conversation: Conversation): Pick<Capabilities, "files"> {
    return { files: fileLimitsIn(conversation) };
  }

  async showTyping(conversation: Conversation): Promise<void> {
    await this.#post(conversation, { type: "typing" });
  }

  async permalink(conversation: Conversation, messageId: string): Promise<string | undefined> {
    const known = await this.#references.room(conversation.room);
    return messageLink(conversation, messageId, known?.value ?? {}, this.#config.tenantId);
  }

  async privateConversation(accountId: string): Promise<Conversation> {
    const known = await this.#calls.make(() => this.#references.person(accountId));
    if (known === undefined)
      throw new DeliveryFailed("target-gone", "the person has never written to the app in Teams");
    const { privateRoom, serviceUrl, userId } = known.value;
    const room = privateRoom ?? (await this.#openPrivate(accountId, serviceUrl, userId));
    return { channel: this.channel, room, kind: "private" };
  }

  async *unreachable(): AsyncIterable<UnreachableConversation> {
    for await (const { key, room, reference } of this.#references.unreachable()) {
      const { kind, accountId, unreachable } = reference;
      yield {
        key,
        conversation: { channel: this.channel, room, kind: kind === "personal" ? "private" : "shared" },
        ...(accountId !== undefined && { accountId }),
        ...unreachable,
        reason: reasonText(unreachable.state),
      };
    }
  }

  fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    return fetchFile(attachment, maxBytes, { config: this.#config, token: this.#token, clock: this.#context.clock });
  }

  health(): { ok: true } | { ok: false; reason: string } {
    const { problem } = this.#token;
    return problem === undefined ? { ok: true } : { ok: false, reason: problem };
  }

  checkLive(): Promise<readonly string[]> {
    return checkTeams(this.#token, this.#keys, `${this.#context.publicUrl}/channels/${this.channel}/messages`);
  }

  get #bot() {
    return { botId: this.#botId, tenantId: this.#config.tenantId };
  }

  #post(target: Conversation, activity: OutgoingActivity): Promise<string> {
    return this.#rooms.call({ target }, ({ serviceUrl }, signal) =>
      this.#connector.send({ serviceUrl, conversationId: conversationId(target) }, activity, signal),
    );
  }

  async #replaceCard({ replyToId, conversation, serviceUrl }: Activity, card: OutgoingActivity): Promise<void> {
    if (replyToId === undefined) return;
    const address = { serviceUrl, conversationId: conversation.id };
    await this.#calls.make((signal) => this.#connector.update(address, replyToId, card, signal));
  }

  async #openPrivate(accountId: string, serviceUrl: string, userId: string): Promise<string> {
    return this.#calls.make(async (signal) => {
      const open = () => this.#connector.openPrivate(serviceUrl, userId, this.#bot, signal);
      const room = await this.#rooms.guarded(serviceUrl, open);
      await this.#references.storeRoom(room, { serviceUrl, kind: "personal", accountId });
      await this.#references.storePerson(accountId, { userId, serviceUrl, privateRoom: room });
      return room;
    });
  }

  #showRefusal(message: InboundMessage, refusal: AppError): void {
    if (!this.#refusals.mayShow(message.account.id, message.conversation.room, refusal.code)) return;
    const texts = readerOf(refusal, textsFor(message.account.locale));
    const text = escapeXml(texts.refusals.cannotAccept(errorText(refusal, texts)));
    this.#post(message.conversation, { type: "message", textFormat: "xml", text }).catch((error: unknown) =>
      this.#context.logger.debug({ error: messageOf(error) }, "could not show the refusal"),
    );
  }
}

/** In a team's channel every message is in a thread: the target's, or the one that the reply's first part began. */
const addressIn = (target: Conversation, { serviceUrl, kind }: Reference, firstMessageId?: string): Address => {
  const isIts = kind === "channel" && target.thread === undefined && firstMessageId !== undefined;
  return { serviceUrl, conversationId: conversationId(isIts ? { ...target, thread: firstMessageId } : target) };
};
