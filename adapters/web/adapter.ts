import { AppError } from "../../core/contract/app-error.ts";
import type { UserSignal } from "../../core/contract/messages/signals.ts";
import type { Attachment } from "../../core/contract/messages/user-message.ts";
import type { Listener } from "../../core/contract/ports/bus.ts";
import type { Timer } from "../../core/contract/ports/clock.ts";
import type {
  AttachmentAdapter,
  ClientSocket,
  CorkedStream,
  EditingAdapter,
  SignalAdapter,
  SocketAdapter,
  SocketRequest,
  Webhook,
  WebhookAdapter,
} from "../contract/abilities.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed } from "../contract/delivery-failed.ts";
import { AddressRates, allowanceOf, RateLimit } from "../contract/rate-limit.ts";
import { renderOrFail } from "../contract/render-delivery.ts";
import type { WebConfig } from "./config.ts";
import { conversationRoutes } from "./conversations/conversation-routes.ts";
import { resumeDeletions } from "./conversations/delete-conversation.ts";
import { DeliveryLog } from "./conversations/delivery-log.ts";
import { fileRoutes } from "./files/file-routes.ts";
import { LeasedBytes } from "./files/leased-bytes.ts";
import { FILE_LIMITS, ReplyFiles } from "./files/reply-files.ts";
import { type SharedLimit, StorageBudget } from "./files/storage-budget.ts";
import { UploadAdmission } from "./files/upload-admission.ts";
import { UploadsInFlight } from "./files/uploads-in-flight.ts";
import { VisitorFiles } from "./files/visitor-files.ts";
import { ConversationList } from "./history/conversation-list.ts";
import { deviceName } from "./identity/device-name.ts";
import { loadVisitorKeys, originCheck, VisitorAuth } from "./identity/visitor-auth.ts";
import { VisitorRequests } from "./identity/visitor-request.ts";
import { fileOf } from "./inbound.ts";
import type { LoggedFrame } from "./protocol.ts";
import { closeCodes, PROTOCOL } from "./protocol-constants.ts";
import { renderEdit, renderReply, shownId } from "./render.ts";
import { ClientDialogue } from "./server/client-dialogue.ts";
import { commandMenuRoute } from "./server/command-menu-route.ts";
import { Connection } from "./server/connection.ts";
import type { DialogueDeps } from "./server/dialogue-deps.ts";
import { LiveDrafts } from "./server/live-drafts.ts";
import { OpenDialogues } from "./server/open-dialogues.ts";
import { OpenRooms } from "./server/open-rooms.ts";
import { originRoute } from "./server/origin-route.ts";
import { showSignal } from "./server/show-signal.ts";
import { widgetWebhooks } from "./server/widget-routes.ts";

/** Serves browsers by WebSocket. A reply is delivered once it is in the conversation's log, which the sockets follow. */
export class WebAdapter implements SocketAdapter, WebhookAdapter, SignalAdapter, EditingAdapter, AttachmentAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities = { connection: "shared", resend: "log", files: FILE_LIMITS };
  readonly socket: { readonly protocol: string; readonly maxFrameBytes: number };
  readonly webhooks: readonly Webhook[];
  readonly #config: WebConfig;
  readonly #context: AdapterContext;
  readonly #rooms: OpenRooms;
  readonly #drafts: LiveDrafts;
  readonly #conversations: ConversationList;
  readonly #files: VisitorFiles;
  readonly #replyFiles: ReplyFiles;
  readonly #budget: StorageBudget;
  readonly #shared: readonly SharedLimit[];
  readonly #mayOpen: (origin: string) => boolean;
  readonly #dialogues = new OpenDialogues((dialogue) => this.#onClosed(dialogue));
  readonly #deliveries: DeliveryLog;
  #deps: DialogueDeps | undefined;
  #sweep: Timer | undefined;
  #writesChanged: Listener | undefined;
  #stopping: Promise<void> | undefined;

  constructor(config: WebConfig, context: AdapterContext) {
    const { channel, store, clock, logger, signal } = context;
    const { limits } = config;
    this.channel = channel;
    this.#config = config;
    this.#context = context;
    this.socket = { protocol: PROTOCOL, maxFrameBytes: limits.frameBytes };
    this.#mayOpen = originCheck(context.publicUrl, config.allowedOrigins);
    const retentionMs = config.retentionDays * DAY_MS;
    this.#rooms = new OpenRooms({ store, clock, channel, retentionMs, logger, signal });
    this.#drafts = new LiveDrafts(clock);
    const conversations = new ConversationList({ ...context, retentionMs });
    this.#conversations = conversations;
    this.#deliveries = new DeliveryLog({ channel, clock, rooms: this.#rooms, drafts: this.#drafts, conversations });
    this.#files = new VisitorFiles({ ...context, ttlMs: config.fileDays * DAY_MS, limits });
    this.#replyFiles = new ReplyFiles({ ...context, ttlMs: config.fileDays * DAY_MS });
    const { tenant, tenantStoredBytes } = context;
    const leased = (kind: string, name: string, perHour: number) =>
      new LeasedBytes({ store, clock, scope: [kind, name], perHour });
    this.#shared = [
      { leased: leased("channel", channel, limits.storedBytes), scope: "for all visitors" },
      ...(tenantStoredBytes === undefined
        ? []
        : [{ leased: leased("tenant", tenant, tenantStoredBytes), scope: "of this service" }]),
    ];
    this.#budget = new StorageBudget(limits, clock, this.#shared, context.storedByteRates);
    const mayOpen = this.#mayOpen;
    const requests = new VisitorRequests({ mayOpen, auth: () => (this.#stopping ? undefined : this.#deps?.auth) });
    const { minFreeBytes } = limits;
    const { freeBytes, isBlocked, writes, personBudget, tenantUploads } = context;
    const { access } = config;
    const own = { budget: this.#budget, inFlight: new UploadsInFlight(limits, tenantUploads), access, minFreeBytes };
    const admission = new UploadAdmission({ ...own, isBlocked, freeBytes, personBudget });
    const files = {
      files: this.#files,
      replyFiles: this.#replyFiles,
      writes,
      admission,
      maxBytes: limits.fileBytes,
      requests,
    };
    const listed = { requests, deps: () => (this.#stopping ? undefined : this.#deps) };
    const about = [commandMenuRoute(context.commands), originRoute(channel, mayOpen)];
    this.webhooks = [...widgetWebhooks(), ...about, ...fileRoutes(files), ...conversationRoutes(listed)];
  }

  async start(inbox: Inbox): Promise<void> {
    const { store, clock, newId } = this.#context;
    const auth = new VisitorAuth({
      ...(await loadVisitorKeys(store, this.channel, this.#config)),
      channel: this.channel,
      clock,
      newId,
      owner: this.#context.owner,
    });
    // The first message then finds a leased block.
    for (const { leased } of this.#shared) await leased.take(0, 1);
    // A failed start calls stop(), so a second start must clear it.
    this.#stopping = undefined;
    const { limits, voiceInput } = this.#config;
    const frameRate = new RateLimit(limits.framesPerSecond, limits.frameBurst);
    const messageRate = new RateLimit(limits.messagesPerSecond, limits.messageBurst);
    const live = { rooms: this.#rooms, drafts: this.#drafts, conversations: this.#conversations };
    const files = { files: this.#files, replyFiles: this.#replyFiles, budget: this.#budget };
    const own = { context: this.#context, ...live, ...files };
    const addressRates = new AddressRates(limits.messagesPerSecondOfAddress, limits.messageBurstOfAddress);
    this.#deps = { ...own, inbox, limits, voiceInput, frameRate, messageRate, addressRates, auth };
    this.#armSweep();
    this.#writesChanged?.close();
    this.#writesChanged = this.#context.writes.onChange(() => {
      for (const dialogue of this.#dialogues) dialogue.sendStorageState();
    });
    void this.#files.findUnattached();
    void resumeDeletions(this.#deps);
  }

  admit({ origin, protocols, remoteAddress }: SocketRequest): { status: number; message: string } | undefined {
    const { limits } = this.#config;
    if (this.#deps === undefined || this.#stopping)
      return { status: 503, message: "the channel is not ready; retry in a few seconds" };
    if (!protocols.includes(PROTOCOL))
      return { status: 400, message: `the client must offer the subprotocol "${PROTOCOL}"` };
    if (origin === undefined) {
      const who = this.#deps.auth.identify(offeredToken(protocols) ?? "");
      if ("problem" in who) {
        return {
          status: 403,
          message: "a client without an Origin header must offer a valid token as subprotocol token.<token>",
        };
      }
    } else if (!this.#mayOpen(origin)) {
      return { status: 403, message: "this origin is not allowed: add it to the channel's allowedOrigins" };
    }
    if (this.#dialogues.size >= limits.connections) return { status: 503, message: "too many connections" };
    if (this.#dialogues.countOf(remoteAddress) >= limits.connectionsPerAddress * allowanceOf(remoteAddress)) {
      return { status: 429, message: "too many connections from this address" };
    }
    return undefined;
  }

  connect(socket: ClientSocket, request: SocketRequest, stream?: CorkedStream): void {
    if (this.#deps === undefined || this.#stopping) {
      socket.close(closeCodes.restarting, "service restart");
      return;
    }
    if (this.#dialogues.size >= this.#config.limits.connections) {
      socket.close(closeCodes.tryLater, "too many connections");
      return;
    }
    const { protocols, remoteAddress, userAgent } = request;
    const client = { remoteAddress, offeredToken: offeredToken(protocols), device: deviceName(userAgent) };
    const connection = new Connection(socket, this.#context.clock, stream);
    this.#dialogues.add(socket, new ClientDialogue(connection, client, this.#deps));
    this.#reportConnections();
  }

  #onClosed(dialogue: ClientDialogue): void {
    const { address } = dialogue;
    void dialogue.finish();
    if (address !== undefined) this.#rooms.closeIfEmpty(address);
    this.#reportConnections();
  }

  #reportConnections(): void {
    this.#context.meter.gauge("web_connections", this.#dialogues.size, { channel: this.channel });
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    const frame = renderOrFail(delivery, renderReply);
    await this.#replyFiles.offer(delivery);
    return this.#append(delivery, frame, shownId(delivery));
  }

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    const frame = renderOrFail(delivery, (rendered) => renderEdit(messageId, rendered));
    return this.#append(delivery, frame, messageId);
  }

  async fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    const { visitor, fileId } = fileOf(attachment);
    const [file] = await this.#files.find(visitor, [fileId]);
    if (file === undefined) throw new AppError("not-found", "the file has expired; ask the visitor to upload it again");
    if (file.bytes > maxBytes)
      throw new AppError("too-large", `the file has ${file.bytes} bytes, more than the limit of ${maxBytes}`);
    return this.#files.read(visitor, file);
  }

  onSignal(signal: UserSignal): void {
    showSignal(signal, { channel: this.channel, rooms: this.#rooms, drafts: this.#drafts });
  }

  /** After a bus outage signals may be lost, so every open conversation reads its log. */
  refresh(): Promise<void> {
    return this.#rooms.catchUpAll();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#sweep?.cancel();
    this.#writesChanged?.close();
    const finished = [...this.#dialogues].map((dialogue) => dialogue.finish());
    await this.#withTimeout(STOP_TIMEOUT_MS, Promise.allSettled([...finished, this.#deliveries.settled()]));
    for (const { connection } of this.#dialogues) connection.close(closeCodes.restarting, "service restart");
    await this.#withTimeout(CLOSE_TIMEOUT_MS, this.#dialogues.allClosed());
    for (const { connection } of this.#dialogues) connection.terminate();
  }

  #append(delivery: Delivery, frame: LoggedFrame, messageId: string): Promise<Receipt> {
    if (this.#stopping)
      throw new DeliveryFailed("unavailable", "the channel is stopping; another gateway will deliver");
    return this.#deliveries.append(delivery, frame, messageId);
  }

  #armSweep(): void {
    this.#sweep = this.#context.clock.after(SWEEP_INTERVAL_MS, () => {
      const now = this.#context.clock.monotonic();
      for (const dialogue of this.#dialogues) dialogue.check(now);
      void this.#rooms.catchUpShare();
      void this.#files.dropUnattached();
      if (!this.#stopping) this.#armSweep();
    });
  }

  #withTimeout(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#context.clock.after(ms, resolve);
      void work.finally(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}

const offeredToken = (protocols: readonly string[]): string | undefined =>
  protocols.find((protocol) => protocol.startsWith("token."))?.slice("token.".length);

const DAY_MS = 24 * 3_600_000;
const SWEEP_INTERVAL_MS = 1_000;
const STOP_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
