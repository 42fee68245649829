import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import { isoTime } from "../../../core/contract/clock.ts";
import type { Account } from "../../../core/contract/user-message.ts";
import { refuseIfUnwritable, Unwritable, whenWritable } from "../../../core/contract/write-availability.ts";
import { readHistory } from "../history/history-page.ts";
import type { Identity, TokenProblem } from "../identity/visitor-token.ts";
import { accountOf } from "../inbound.ts";
import type { ClientFrame, Command, ErrorCode, Hello, HistoryRequest, Message } from "../protocol.ts";
import type { CloseCode } from "../protocol-constants.ts";
import { closeCodes } from "../protocol-constants.ts";
import { takeMessage } from "./accept-message.ts";
import type { Connection } from "./connection.ts";
import type { ConversationRoom } from "./conversation-room.ts";
import type { DialogueParts } from "./dialogue-deps.ts";
import { encodeFrame, parseFrame } from "./frame-codec.ts";

interface Arrived {
  readonly remoteAddress: string;
  readonly offeredToken: string | undefined;
}

/** The listening half of one socket: frames in, one at a time, in order. */
export class ClientDialogue {
  readonly connection: Connection;
  readonly remoteAddress: string;
  readonly #parts: DialogueParts;
  readonly #offeredToken: string | undefined;
  readonly #helloDueAt: number;
  /** Of a visitor for whom a page has given its word, which ends. */
  #vouchedFor: Identity | undefined;
  #account: Account | undefined;
  #room: ConversationRoom | undefined;
  #searchFrom = 0;
  #framesWholeAt = 0;
  #waiting = 0;
  #last: Promise<void> = IDLE;
  #badFrames = 0;
  #refusals = 0;
  #listens = true;
  /** Of a hello that waits for the store. */
  #held: AbortController | undefined;

  constructor(connection: Connection, { remoteAddress, offeredToken }: Arrived, parts: DialogueParts) {
    this.connection = connection;
    this.remoteAddress = remoteAddress;
    this.#offeredToken = offeredToken;
    this.#parts = parts;
    // Whole: a fraction would take memory of its own, in every socket.
    this.#helloDueAt = Math.ceil(parts.context.clock.monotonic()) + HELLO_WITHIN_MS;
  }

  get visitor(): string | undefined {
    return this.#account?.id;
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (!this.#listens || !this.connection.open) return;
    if (isBinary) this.#end(closeCodes.binary, "frames are JSON as text");
    else if (data.length > this.#parts.limits.frameBytes) this.#end(closeCodes.tooLarge, "the frame is too large");
    else if (!this.#mayGoOn()) this.#slowDown(`too many frames; ${AGAIN}`);
    else this.#parse(data);
  }

  #mayGoOn(): boolean {
    const wholeAt = this.#parts.frameRate.take(this.#framesWholeAt, this.#parts.context.clock.monotonic());
    this.#framesWholeAt = wholeAt ?? this.#framesWholeAt;
    return wholeAt !== undefined;
  }

  #mayWrite(room: ConversationRoom): boolean {
    const wholeAt = this.#parts.messageRate.take(room.messagesWholeAt, this.#parts.context.clock.monotonic());
    room.messagesWholeAt = wholeAt ?? room.messagesWholeAt;
    return wholeAt !== undefined && this.#mayWriteFromHere();
  }

  /** Anybody can become many visitors, so the address is limited as well. */
  #mayWriteFromHere(): boolean {
    const { addressRates, context } = this.#parts;
    return addressRates.take(this.remoteAddress, context.clock.monotonic()) === 0;
  }

  #parse(data: Buffer): void {
    const parsed = parseFrame(data);
    if ("problem" in parsed) this.#bad(parsed.problem, parsed.id);
    else if (this.#waiting >= MAX_WAITING) this.#error("busy", "too many frames wait; send this again", parsed.frame);
    else {
      this.#waiting++;
      this.#last = this.#handleAfter(this.#last, parsed.frame);
    }
  }

  /** Called about once a second. */
  check(now: number): void {
    if (this.#account === undefined && now > this.#helloDueAt && this.#waiting === 0) {
      this.#end(closeCodes.helloTooLate, "no hello came");
    }
    // A page's word that somebody is signed in holds as long as it said.
    if (this.#vouchedFor && this.connection.open && this.#parts.tokens.hasEnded(this.#vouchedFor)) {
      this.#refuseToken("token-expired");
    }
    this.connection.check(now);
  }

  /** Hears no further frame; resolves once those that came have been answered. */
  finish(): Promise<void> {
    this.#listens = false;
    this.#held?.abort();
    return this.#last;
  }

  /** Whether messages can be stored; told to clients that have said hello. */
  tellStorage(): void {
    if (this.#account === undefined && this.#held === undefined) return;
    const available = this.#parts.context.writes.problem === undefined;
    this.connection.say(encodeFrame({ type: "storage", available }));
  }

  async #handleAfter(before: Promise<void>, frame: ClientFrame): Promise<void> {
    await before;
    await this.#handle(frame);
    if (--this.#waiting === 0) this.#last = IDLE;
  }

  async #handle(frame: ClientFrame): Promise<void> {
    try {
      // A client that does not read its answers gets no further ones.
      await this.connection.drained();
      if (!this.connection.open) return;
      if (frame.type === "hello") await this.#hello(frame);
      else if (this.#account === undefined) this.#bad("the first frame is hello", undefined, "hello-expected");
      else if (frame.type === "history") await this.#history(frame);
      else if (frame.type !== "typing") await this.#message(frame, this.#account);
    } catch (error) {
      this.#failed(frame, error);
    }
  }

  async #hello(hello: Hello): Promise<void> {
    if (this.#account) return this.#bad("hello comes once", undefined, "hello-repeated");
    const { rooms, tokens, limits, context } = this.#parts;
    const who = tokens.identify(hello.token ?? this.#offeredToken);
    if ("problem" in who) return this.#refuseToken(who.problem);
    const log = rooms.log(who.visitor);
    const [head, sessionId] = await this.#onceReadable(() =>
      Promise.all([
        who.isNew ? log.startEmpty() : log.head(hello.resumeFrom),
        context.sessionOf(rooms.conversation(who.visitor), who.isNew),
      ]),
    );
    if (!this.connection.open) return;
    if ((rooms.find(who.visitor)?.size ?? 0) >= limits.connectionsPerVisitor) {
      this.#error("too-many-connections", `at most ${limits.connectionsPerVisitor} at a time; close one`);
      return this.#end(closeCodes.visitorFull, "too many connections");
    }
    if (who.endsAt !== undefined) this.#vouchedFor = who;
    this.#account = accountOf(who, hello);
    this.#room = rooms.open(who.visitor, head);
    this.connection.say(
      encodeFrame({
        type: "welcome",
        token: tokens.issue(who),
        conversation: who.visitor,
        sessionId,
        seq: head,
        agent: context.agent,
        now: isoTime(context.clock.now()),
        limits: { textLength: limits.textLength, fileBytes: limits.filesPerVisitor > 0 ? limits.fileBytes : 0 },
      }),
    );
    if (context.writes.problem !== undefined) this.tellStorage();
    this.#resume(this.#room, hello.resumeFrom, head);
  }

  /** During an outage the socket stays open, and the read is repeated once writes work. */
  async #onceReadable<R>(read: () => Promise<R>): Promise<R> {
    const { writes } = this.#parts.context;
    try {
      for (;;) {
        if (writes.problem !== undefined) this.#hold();
        try {
          return await read();
        } catch (error) {
          if (writes.problem === undefined || !this.#listens) throw error;
          await whenWritable(writes, this.#hold());
        }
      }
    } finally {
      this.#held = undefined;
    }
  }

  #hold(): AbortSignal {
    if (this.#held === undefined) {
      this.#held = new AbortController();
      this.tellStorage();
    }
    return this.#held.signal;
  }

  #refuseToken(problem: TokenProblem): void {
    const { context, tokens } = this.#parts;
    context.meter.count("web_tokens_refused_total", { channel: context.channel, reason: problem });
    this.#error(problem, tokens.explain(problem));
    this.#end(closeCodes.tokenRefused, problem);
  }

  #resume(room: ConversationRoom, resumeFrom: number | undefined, head: number): void {
    const isAhead = resumeFrom !== undefined && resumeFrom > head;
    if (isAhead) this.#error("resume-ahead", `the log ends at ${head}; forget what you have, all of it follows`);
    const cursor = isAhead ? 0 : (resumeFrom ?? head);
    this.#searchFrom = isAhead || resumeFrom === undefined ? 0 : resumeFrom - LITTLE_BEFORE;
    this.connection.follow(room, cursor);
  }

  async #message(frame: Message | Command, account: Account): Promise<void> {
    const { limits } = this.#parts;
    if (textOf(frame).length > limits.textLength)
      return this.#error("too-long", `at most ${limits.textLength} characters`, frame);
    if (isEmpty(frame)) return this.#bad("text: must not be empty", frame.id);
    refuseIfUnwritable(this.#parts.context.writes);
    if (!this.#room || !this.#mayWrite(this.#room)) return this.#slowDown(`too many messages; ${AGAIN}`, frame);
    const bytes = Buffer.byteLength(textOf(frame));
    const storing = { visitor: account.id, address: this.remoteAddress, bytes, kind: "message" } as const;
    const giveBack = this.#parts.budget.take(storing);
    this.#refusals = 0;
    const speaker = { account, searchFrom: this.#searchFrom };
    const taken = takeMessage(frame, speaker, this.#parts, () => this.connection.hold());
    const refusal = await taken.catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (refusal) return this.#error(refusal.code, refusal.message, frame);
    this.connection.say(encodeFrame({ type: "accepted", id: frame.id }));
    this.connection.letGo();
  }

  async #history({ before, limit }: HistoryRequest): Promise<void> {
    const room = this.#room;
    if (room) this.connection.say(await readHistory(room.log, Math.min(before, room.head + 1), limit));
  }

  #failed(frame: ClientFrame, error: unknown): void {
    const { logger, channel } = this.#parts.context;
    const code = error instanceof AppError ? error.code : "internal";
    const level = error instanceof Unwritable ? "debug" : "warn";
    logger[level](
      { channel, frame: frame.type, code, error: messageOf(error) },
      "a client's frame could not be handled",
    );
    if (code === "forbidden" || code === "bad-input") this.#error("refused", messageOf(error), frame);
    else if (code === "too-large") this.#error("too-long", messageOf(error), frame);
    else if (code === "rate-limited") this.#slowDown(messageOf(error), frame);
    else this.#error("unavailable", "not stored; send this again", frame);
    if (this.#account === undefined) this.#end(closeCodes.tryLater, "try again later");
  }

  #bad(problem: string, id?: string, code: ErrorCode = "bad-frame"): void {
    this.#say(code, problem, id);
    if (++this.#badFrames > MAX_BAD_FRAMES) this.#end(closeCodes.tooManyBadFrames, "too many bad frames");
  }

  #slowDown(message: string, frame?: ClientFrame): void {
    this.#error("rate-limited", message, frame);
    if (++this.#refusals > MAX_REFUSALS) this.#end(closeCodes.tooFast, "too fast for too long");
  }

  #error(code: ErrorCode, message: string, frame?: ClientFrame): void {
    this.#say(code, message, frame && "id" in frame ? frame.id : undefined);
  }

  #say(code: ErrorCode, message: string, id: string | undefined): void {
    this.#parts.context.meter.count("web_errors_total", { channel: this.#parts.context.channel, code });
    this.connection.offer(encodeFrame({ type: "error", code, message, ...(id !== undefined && { id }) }));
  }

  #end(code: CloseCode, reason: string): void {
    this.connection.close(code, reason);
  }
}

const textOf = (frame: Message | Command): string => (frame.type === "message" ? frame.text : (frame.args ?? ""));

const isEmpty = (frame: Message | Command): boolean =>
  frame.type === "message" && frame.text.trim() === "" && !frame.attachments?.length;

const IDLE: Promise<void> = Promise.resolve();
const AGAIN = "wait, then send this again";
const HELLO_WITHIN_MS = 5_000;
const MAX_WAITING = 64;
const LITTLE_BEFORE = 50;
const MAX_BAD_FRAMES = 10;
const MAX_REFUSALS = 50;
