import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Account } from "../../../core/contract/messages/user-message.ts";
import { refuseIfUnwritable, Unwritable, whenWritable } from "../../../core/contract/ports/backbone.ts";
import { textsFor } from "../../../core/contract/texts/texts.ts";
import { errorText } from "../../../core/contract/texts/told-error.ts";
import { readHistory } from "../history/history-page.ts";
import type { RoomAddress } from "../history/room-address.ts";
import type { Identity, TokenProblem } from "../identity/visitor-token.ts";
import { accountOf } from "../inbound.ts";
import type { ClientFrame, Command, ErrorCode, Hello, HistoryRequest, Message } from "../protocol.ts";
import { type CloseCode, closeCodes } from "../protocol-constants.ts";
import { acceptMessage, UNKNOWN_CONVERSATION } from "./accept-message.ts";
import type { Connection } from "./connection.ts";
import type { ConversationRoom } from "./conversation-room.ts";
import type { DialogueDeps } from "./dialogue-deps.ts";
import { enterConversation, welcomeFrame } from "./enter-conversation.ts";
import { encodeFrame, parseFrame } from "./frame-codec.ts";

interface ClientRequest {
  readonly remoteAddress: string;
  readonly offeredToken: string | undefined;
  readonly device: string;
}

/** The receiving half of one socket: handles frames one at a time, in order. */
export class ClientDialogue {
  readonly connection: Connection;
  readonly remoteAddress: string;
  readonly #deps: DialogueDeps;
  readonly #offeredToken: string | undefined;
  readonly #device: string;
  readonly #helloDueAt: number;
  /** Set for a visitor whom a host page has identified; such an identity expires. */
  #hostIdentity: Identity | undefined;
  #account: Account | undefined;
  #address: RoomAddress | undefined;
  #room: ConversationRoom | undefined;
  #searchFrom = 0;
  #framesFullAt = 0;
  #queued = 0;
  #last: Promise<void> = IDLE;
  #badFrames = 0;
  #refusals = 0;
  #isListening = true;
  /** Aborts a hello that waits until the store is writable. */
  #waitingForWrites: AbortController | undefined;

  constructor(connection: Connection, { remoteAddress, offeredToken, device }: ClientRequest, deps: DialogueDeps) {
    this.connection = connection;
    this.remoteAddress = remoteAddress;
    this.#offeredToken = offeredToken;
    this.#device = device;
    this.#deps = deps;
    // Rounded: V8 stores a fraction as a heap object, in every socket.
    this.#helloDueAt = Math.ceil(deps.context.clock.monotonic()) + HELLO_TIMEOUT_MS;
  }

  /** The conversation that the socket follows; undefined before the hello. */
  get address(): RoomAddress | undefined {
    return this.#address;
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (!this.#isListening || !this.connection.open) return;
    if (isBinary) this.#close(closeCodes.binary, "frames must be JSON as text");
    else if (data.length > this.#deps.limits.frameBytes) this.#close(closeCodes.tooLarge, "the frame is too large");
    else if (!this.#allowFrame()) this.#slowDown(`too many frames; ${RETRY_HINT}`);
    else this.#parse(data);
  }

  #allowFrame(): boolean {
    const fullAt = this.#deps.frameRate.take(this.#framesFullAt, this.#deps.context.clock.monotonic());
    this.#framesFullAt = fullAt ?? this.#framesFullAt;
    return fullAt !== undefined;
  }

  #allowMessage(room: ConversationRoom): boolean {
    const fullAt = this.#deps.messageRate.take(room.rate.messagesFullAt, this.#deps.context.clock.monotonic());
    room.rate.messagesFullAt = fullAt ?? room.rate.messagesFullAt;
    return fullAt !== undefined && this.#allowFromAddress();
  }

  /** One person can open many visitor identities, so the address has a limit too. */
  #allowFromAddress(): boolean {
    const { addressRates, context } = this.#deps;
    return addressRates.take(this.remoteAddress, context.clock.monotonic()) === 0;
  }

  #parse(data: Buffer): void {
    const parsed = parseFrame(data);
    if ("problem" in parsed) this.#refuseFrame(parsed.problem, parsed.id);
    else if (this.#queued >= MAX_QUEUED_FRAMES)
      this.#error("busy", "too many frames are queued; send this again", parsed.frame);
    else {
      this.#queued++;
      this.#last = this.#handleAfter(this.#last, parsed.frame);
    }
  }

  /** Called about once a second. */
  check(now: number): void {
    if (this.#account === undefined && now > this.#helloDueAt && this.#queued === 0) {
      this.#close(closeCodes.helloTooLate, "no hello received in time");
    }
    if (this.#hostIdentity && this.connection.open && this.#deps.auth.hasExpired(this.#hostIdentity)) {
      this.#refuseToken("token-expired");
    }
    this.connection.check(now);
  }

  /** Ignores further frames; resolves once the received ones have been answered. */
  finish(): Promise<void> {
    this.#isListening = false;
    this.#waitingForWrites?.abort();
    return this.#last;
  }

  /** Tells a client that has sent hello whether messages can be stored. */
  sendStorageState(): void {
    if (this.#account === undefined && this.#waitingForWrites === undefined) return;
    const available = this.#deps.context.writes.problem === undefined;
    this.connection.send(encodeFrame({ type: "storage", available }));
  }

  async #handleAfter(before: Promise<void>, frame: ClientFrame): Promise<void> {
    await before;
    await this.#handle(frame);
    if (--this.#queued === 0) this.#last = IDLE;
  }

  async #handle(frame: ClientFrame): Promise<void> {
    try {
      // Backpressure: a client that does not read its answers gets no further ones.
      await this.connection.drained();
      if (!this.connection.open) return;
      if (frame.type === "hello") await this.#hello(frame);
      else if (this.#account === undefined)
        this.#refuseFrame("the first frame must be hello", undefined, "hello-expected");
      else if (frame.type === "history") await this.#history(frame);
      else if (frame.type !== "typing") await this.#message(frame, this.#account);
    } catch (error) {
      this.#onFailure(frame, error);
    }
  }

  async #hello(hello: Hello): Promise<void> {
    if (this.#account) return this.#refuseFrame("hello may be sent only once", undefined, "hello-repeated");
    const { rooms, limits, context } = this.#deps;
    const token = hello.token ?? this.#offeredToken;
    const entered = await this.#retryWhenWritable(() => enterConversation(hello, token, this.#deps));
    if ("problem" in entered) return this.#refuseEntry(entered.problem);
    const { who, address, head } = entered;
    if (!this.connection.open) return;
    if (rooms.socketsOf(who.visitor) >= limits.connectionsPerVisitor) {
      this.#error("too-many-connections", `at most ${limits.connectionsPerVisitor} at a time; close one`);
      return this.#close(closeCodes.visitorFull, "too many connections");
    }
    if (who.endsAt !== undefined) this.#hostIdentity = who;
    this.#account = accountOf(who, hello, this.#device);
    this.#address = address;
    this.#room = rooms.open(address, head);
    this.connection.send(welcomeFrame(entered, this.#deps));
    if (context.writes.problem !== undefined) this.sendStorageState();
    this.#resume(this.#room, hello.resumeFrom, head);
    this.#deps.drafts.sendTo(this.connection, address);
  }

  /** During an outage the socket stays open, and the read is retried once the store is writable. */
  async #retryWhenWritable<R>(read: () => Promise<R>): Promise<R> {
    const { writes } = this.#deps.context;
    try {
      for (;;) {
        if (writes.problem !== undefined) this.#reportOutage();
        try {
          return await read();
        } catch (error) {
          if (writes.problem === undefined || !this.#isListening) throw error;
          await whenWritable(writes, this.#reportOutage());
        }
      }
    } finally {
      this.#waitingForWrites = undefined;
    }
  }

  #reportOutage(): AbortSignal {
    if (this.#waitingForWrites === undefined) {
      this.#waitingForWrites = new AbortController();
      this.sendStorageState();
    }
    return this.#waitingForWrites.signal;
  }

  #refuseEntry(problem: TokenProblem | "conversation-unknown"): void {
    if (problem !== "conversation-unknown") this.#refuseToken(problem);
    else {
      this.#error(problem, UNKNOWN_CONVERSATION);
      this.#close(closeCodes.conversationUnknown, problem);
    }
  }

  #refuseToken(problem: TokenProblem): void {
    const { context, auth } = this.#deps;
    context.meter.count("web_tokens_refused_total", { channel: context.channel, reason: problem });
    this.#error(problem, auth.explain(problem));
    this.#close(closeCodes.tokenRefused, problem);
  }

  #resume(room: ConversationRoom, resumeFrom: number | undefined, head: number): void {
    const isAhead = resumeFrom !== undefined && resumeFrom > head;
    if (isAhead) this.#error("resume-ahead", `the log ends at ${head}; discard your copy, the whole log follows`);
    const cursor = isAhead ? 0 : (resumeFrom ?? head);
    this.#searchFrom = isAhead || resumeFrom === undefined ? 0 : resumeFrom - RESUME_OVERLAP;
    this.connection.follow(room, cursor);
  }

  async #message(frame: Message | Command, account: Account): Promise<void> {
    const { limits } = this.#deps;
    if (textOf(frame).length > limits.textLength)
      return this.#error("too-long", `at most ${limits.textLength} characters`, frame);
    if (isEmpty(frame)) return this.#refuseFrame("text: must not be empty", frame.id);
    refuseIfUnwritable(this.#deps.context.writes);
    if (!this.#room || !this.#allowMessage(this.#room))
      return this.#slowDown(`too many messages; ${RETRY_HINT}`, frame);
    const bytes = Buffer.byteLength(textOf(frame));
    const storing = { visitor: account.id, address: this.remoteAddress, bytes, kind: "message" } as const;
    const refund = await this.#deps.budget.reserve(storing);
    this.#refusals = 0;
    const speaker = { account, own: this.#address, searchFrom: this.#searchFrom };
    const taken = acceptMessage(frame, speaker, this.#deps, () => this.connection.cork());
    const refusal = await taken.catch((error: unknown) => {
      refund();
      throw error;
    });
    if (refusal) return this.#error(refusal.code, refusal.message, frame);
    this.connection.send(encodeFrame({ type: "accepted", id: frame.id }));
    this.connection.uncork();
  }

  async #history({ before, limit }: HistoryRequest): Promise<void> {
    const room = this.#room;
    if (room) this.connection.send(await readHistory(room.log, Math.min(before, room.head + 1), limit));
  }

  #onFailure(frame: ClientFrame, error: unknown): void {
    const { logger, channel } = this.#deps.context;
    const code = error instanceof AppError ? error.code : "internal";
    const level = error instanceof Unwritable ? "debug" : "warn";
    logger[level]({ channel, frame: frame.type, code, error: messageOf(error) }, "could not handle client frame");
    const why = errorText(error, textsFor(this.#account?.locale));
    if (code === "forbidden" || code === "bad-input") this.#error("refused", why, frame);
    else if (code === "too-large") this.#error("too-long", why, frame);
    else if (code === "rate-limited") this.#slowDown(why, frame);
    else this.#error("unavailable", "could not confirm that this is stored; send it again with the same id", frame);
    if (this.#account === undefined) this.#close(closeCodes.tryLater, "try again later");
  }

  #refuseFrame(problem: string, id?: string, code: ErrorCode = "bad-frame"): void {
    this.#sendError(code, problem, id);
    if (++this.#badFrames > MAX_BAD_FRAMES) this.#close(closeCodes.tooManyBadFrames, "too many bad frames");
  }

  #slowDown(message: string, frame?: ClientFrame): void {
    this.#error("rate-limited", message, frame);
    if (++this.#refusals > MAX_REFUSALS) this.#close(closeCodes.tooFast, "rate limit exceeded for too long");
  }

  #error(code: ErrorCode, message: string, frame?: ClientFrame): void {
    this.#sendError(code, message, frame && "id" in frame ? frame.id : undefined);
  }

  #sendError(code: ErrorCode, message: string, id: string | undefined): void {
    this.#deps.context.meter.count("web_errors_total", { channel: this.#deps.context.channel, code });
    this.connection.offer(encodeFrame({ type: "error", code, message, ...(id !== undefined && { id }) }));
  }

  #close(code: CloseCode, reason: string): void {
    this.connection.close(code, reason);
  }
}

const textOf = (frame: Message | Command): string => (frame.type === "message" ? frame.text : (frame.args ?? ""));

const isEmpty = (frame: Message | Command): boolean =>
  frame.type === "message" && frame.text.trim() === "" && !frame.attachments?.length;

const IDLE: Promise<void> = Promise.resolve();
const RETRY_HINT = "wait, then send this again";
const HELLO_TIMEOUT_MS = 5_000;
const MAX_QUEUED_FRAMES = 64;
const RESUME_OVERLAP = 50;
const MAX_BAD_FRAMES = 10;
const MAX_REFUSALS = 50;
