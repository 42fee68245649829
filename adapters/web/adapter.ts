import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Listener } from "../../core/contract/bus.ts";
import type { Timer } from "../../core/contract/clock.ts";
import type { UserSignal } from "../../core/contract/signals.ts";
import type { Attachment } from "../../core/contract/user-message.ts";
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
import { AddressRates, allowanceOf } from "../contract/address-rates.ts";
import type { Capabilities, Delivery, Inbox, Receipt } from "../contract/channel-adapter.ts";
import { DeliveryFailed, draw } from "../contract/delivery-failed.ts";
import { RateLimit } from "../contract/rate-limit.ts";
import type { WebConfig } from "./config.ts";
import { fileRoutes } from "./files/file-routes.ts";
import { StorageBudget } from "./files/storage-budget.ts";
import { UploadAdmission } from "./files/upload-admission.ts";
import { VisitorFiles } from "./files/visitor-files.ts";
import { originCheck } from "./identity/allowed-origin.ts";
import { loadSigningKey } from "./identity/signing-key.ts";
import { VisitorTokens } from "./identity/visitor-auth.ts";
import { clientIdOf, fileOf } from "./inbound.ts";
import type { LoggedFrame } from "./protocol.ts";
import { closeCodes, PROTOCOL } from "./protocol-constants.ts";
import { renderEdit, renderReply, shownId } from "./render.ts";
import { ClientDialogue } from "./server/client-dialogue.ts";
import { Connection } from "./server/connection.ts";
import type { DialogueParts } from "./server/dialogue-deps.ts";
import { encodeFrame } from "./server/frame-codec.ts";
import { OpenDialogues } from "./server/open-dialogues.ts";
import { OpenRooms } from "./server/open-rooms.ts";
import { widgetWebhooks } from "./server/widget-routes.ts";

/** Browsers, over sockets. A reply is delivered once it is in the conversation's log; sockets follow the log. */
export class WebAdapter implements SocketAdapter, WebhookAdapter, SignalAdapter, EditingAdapter, AttachmentAdapter {
  readonly channel: string;
  readonly capabilities: Capabilities = { connection: "shared", resend: "log" };
  readonly socket: { readonly protocol: string; readonly maxFrameBytes: number };
  readonly webhooks: readonly Webhook[];
  readonly #config: WebConfig;
  readonly #context: AdapterContext;
  readonly #rooms: OpenRooms;
  readonly #files: VisitorFiles;
  readonly #budget: StorageBudget;
  readonly #mayOpen: (origin: string) => boolean;
  readonly #dialogues = new OpenDialogues((dialogue) => this.#gone(dialogue));
  readonly #deliveries = new Set<Promise<unknown>>();
  #parts: DialogueParts | undefined;
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
    this.#files = new VisitorFiles({ ...context, lifeMs: config.fileDays * DAY_MS, limits });
    this.#budget = new StorageBudget(limits, clock);
    const mayOpen = this.#mayOpen;
    const tokens = () => (this.#stopping ? undefined : this.#parts?.tokens);
    const { minFreeBytes } = limits;
    const { freeBytes, writes } = context;
    const admission = new UploadAdmission({ budget: this.#budget, access: config.access, minFreeBytes, freeBytes });
    const files = { files: this.#files, writes, admission, maxBytes: limits.fileBytes, mayOpen, tokens };
    this.webhooks = [...widgetWebhooks(), ...fileRoutes(files)];
  }

  async start(inbox: Inbox): Promise<void> {
    const { store, clock, newId } = this.#context;
    const signing = await loadSigningKey(store, this.channel, this.#config.signingKey?.reveal());
    const identityKey = this.#config.identityKey && Buffer.from(this.#config.identityKey.reveal());
    const tokens = new VisitorTokens({ signing, identityKey, channel: this.channel, clock, newId });
    // a start that failed was followed by a stop
    this.#stopping = undefined;
    const { limits } = this.#config;
    const frameRate = new RateLimit(limits.framesPerSecond, limits.frameBurst);
    const messageRate = new RateLimit(limits.messagesPerSecond, limits.messageBurst);
    const own = { context: this.#context, rooms: this.#rooms, files: this.#files, budget: this.#budget };
    const addressRates = new AddressRates(limits.messagesPerSecondOfAddress, limits.messageBurstOfAddress);
    this.#parts = { ...own, inbox, limits, frameRate, messageRate, addressRates, tokens };
    this.#armSweep();
    this.#writesChanged?.close();
    this.#writesChanged = this.#context.writes.onChange(() => {
      for (const dialogue of this.#dialogues) dialogue.tellStorage();
    });
    void this.#files.findUnattached();
  }

  admit({ origin, protocols, remoteAddress }: SocketRequest): { status: number; message: string } | undefined {
    const { limits } = this.#config;
    if (this.#parts === undefined || this.#stopping) return { status: 503, message: "not ready; try again soon" };
    if (!protocols.includes(PROTOCOL)) return { status: 400, message: `offer the subprotocol "${PROTOCOL}"` };
    if (origin === undefined) {
      const who = this.#parts.tokens.identify(offeredToken(protocols) ?? "");
      if ("problem" in who) {
        return { status: 403, message: "a client without an Origin offers a valid token as subprotocol token.<token>" };
      }
    } else if (!this.#mayOpen(origin)) {
      return { status: 403, message: "this origin may not connect: add it to the channel's allowedOrigins" };
    }
    if (this.#dialogues.size >= limits.connections) return { status: 503, message: "too many connections" };
    if (this.#dialogues.sizeOf(remoteAddress) >= limits.connectionsPerAddress * allowanceOf(remoteAddress)) {
      return { status: 429, message: "too many connections from this address" };
    }
    return undefined;
  }

  connect(socket: ClientSocket, { protocols, remoteAddress }: SocketRequest, stream?: CorkedStream): void {
    if (this.#parts === undefined || this.#stopping) {
      socket.close(closeCodes.restarting, "service restart");
      return;
    }
    if (this.#dialogues.size >= this.#config.limits.connections) {
      socket.close(closeCodes.tryLater, "too many connections");
      return;
    }
    const came = { remoteAddress, offeredToken: offeredToken(protocols) };
    const connection = new Connection(socket, this.#context.clock, stream);
    this.#dialogues.add(socket, new ClientDialogue(connection, came, this.#parts));
    this.#tellSize();
  }

  #gone(dialogue: ClientDialogue): void {
    const { visitor } = dialogue;
    void dialogue.finish();
    if (visitor !== undefined) this.#rooms.closeIfEmpty(visitor);
    this.#tellSize();
  }

  #tellSize(): void {
    this.#context.meter.gauge("web_connections", this.#dialogues.size, { channel: this.channel });
  }

  async deliver(delivery: Delivery): Promise<Receipt> {
    return this.#log(delivery, draw(delivery, renderReply), shownId(delivery));
  }

  async edit(messageId: string, delivery: Delivery): Promise<Receipt> {
    const frame = draw(delivery, (drawn) => renderEdit(messageId, drawn));
    return this.#log(delivery, frame, messageId);
  }

  async fetchAttachment(attachment: Attachment, maxBytes: number): Promise<Uint8Array> {
    const { visitor, fileId } = fileOf(attachment);
    const [file] = await this.#files.find(visitor, [fileId]);
    if (file === undefined) throw new AppError("not-found", "the file has expired; ask for it again");
    if (file.bytes > maxBytes) throw new AppError("too-large", `${file.bytes} bytes; ${maxBytes} are the most`);
    return this.#files.read(visitor, file);
  }

  hear(signal: UserSignal): void {
    if (signal.conversation.channel !== this.channel) return;
    const visitor = signal.conversation.room;
    const room = this.#rooms.find(visitor);
    if (room === undefined) return;
    if (signal.type === "logged") void room.look(signal.seq);
    else if (signal.type === "typing") room.offer(TYPING);
    else {
      const correlationId = clientIdOf(signal.correlationId, this.channel, visitor);
      const { attempt, offset, text } = signal;
      if (correlationId !== undefined) {
        room.offer(encodeFrame({ type: "delta", correlationId, attempt, offset, text }));
      }
    }
  }

  /** Signals may have been lost (the bus was away): every conversation that is open here is looked at. */
  refresh(): Promise<void> {
    return this.#rooms.lookAtAll();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#sweep?.cancel();
    this.#writesChanged?.close();
    const answered = [...this.#dialogues].map((dialogue) => dialogue.finish());
    await this.#atMost(STOP_WITHIN_MS, Promise.allSettled([...answered, ...this.#deliveries]));
    for (const { connection } of this.#dialogues) connection.close(closeCodes.restarting, "service restart");
    await this.#atMost(GOODBYE_WITHIN_MS, this.#dialogues.allGone());
    for (const { connection } of this.#dialogues) connection.terminate();
  }

  async #log(delivery: Delivery, frame: LoggedFrame, messageId: string): Promise<Receipt> {
    if (this.#stopping) throw new DeliveryFailed("unavailable", "the channel is stopping; another gateway delivers");
    if (delivery.target.channel !== this.channel) {
      throw new DeliveryFailed("rejected", `"${this.channel}" cannot deliver to "${delivery.target.channel}"`);
    }
    const entry = { once: `${frame.type}:${delivery.id}`, at: this.#context.clock.now(), frame };
    // An earlier attempt came after the reply was made, whatever the clocks of two machines say.
    const since = Date.parse(delivery.reply.createdAt) - CLOCKS_DIFFER_MS;
    const appended = this.#rooms.append(delivery.target.room, entry, { since, isFirst: !delivery.mayRepeat });
    this.#deliveries.add(appended);
    try {
      await appended;
      return { messageId };
    } catch (error) {
      throw failureOf(error);
    } finally {
      this.#deliveries.delete(appended);
    }
  }

  #armSweep(): void {
    this.#sweep = this.#context.clock.after(SWEEP_EVERY_MS, () => {
      const now = this.#context.clock.monotonic();
      for (const dialogue of this.#dialogues) dialogue.check(now);
      void this.#rooms.lookAtShare();
      void this.#files.dropUnattached();
      if (!this.#stopping) this.#armSweep();
    });
  }

  #atMost(ms: number, work: Promise<unknown>): Promise<void> {
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

const failureOf = (error: unknown): DeliveryFailed =>
  error instanceof AppError && error.code === "too-large"
    ? new DeliveryFailed("rejected", messageOf(error), { cause: error })
    : new DeliveryFailed("unknown", `the log could not be written: ${messageOf(error)}`, { cause: error });

const TYPING = encodeFrame({ type: "typing" });
const DAY_MS = 24 * 3_600_000;
const SWEEP_EVERY_MS = 1_000;
const STOP_WITHIN_MS = 5_000;
const GOODBYE_WITHIN_MS = 1_000;
const CLOCKS_DIFFER_MS = 10 * 60_000;
