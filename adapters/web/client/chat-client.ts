import type { ClientFrame, ErrorCode, Hello, ServerFrame } from "../protocol.ts";
import { closeCodes } from "../protocol-constants.ts";
import { ReconnectPause } from "./backoff.ts";
import type { ChatIdentity, TokenRefusal } from "./chat-identity.ts";
import type { ChatListener, ChatStatus } from "./chat-listener.ts";
import type { ChatConnection, ChatTransport } from "./chat-transport.ts";
import type { Outgoing, OutgoingQueue } from "./outgoing-queue.ts";
import { OutgoingSender } from "./outgoing-sender.ts";

export interface ChatClientParts {
  readonly transport: ChatTransport;
  readonly queue: OutgoingQueue;
  readonly listener: ChatListener;
  /** What else `hello` tells about the person. */
  about(): Pick<Hello, "timeZone" | "locale">;
}

/** Keeps a connection open: comes back by itself, resumes where it was, and has what waits sent. */
export class ChatClient {
  readonly #parts: ChatClientParts;
  readonly #pause = new ReconnectPause();
  readonly #sender: OutgoingSender;
  #identity: ChatIdentity;
  #connection: ChatConnection | undefined;
  /** Grows with every attempt: what an earlier one still says is not heard. */
  #attempt = 0;
  #sentToken: string | undefined;
  #token: string | undefined;
  #status: ChatStatus = "closed";
  #lastSeq: number | undefined;
  #historyBefore: number | undefined;
  #refusal: ErrorCode | undefined;
  #retry: Timeout;
  #renewal: Timeout;

  constructor(identity: ChatIdentity, parts: ChatClientParts) {
    this.#identity = identity;
    this.#parts = parts;
    this.#sender = new OutgoingSender({
      queue: parts.queue,
      queueChanged: () => parts.listener.queueChanged(),
      unanswered: () => this.drop(),
      send: (frame) => {
        if (this.#status !== "open") return false;
        this.#send(frame);
        return true;
      },
    });
  }

  get status(): ChatStatus {
    return this.#status;
  }

  /** The latest one, for uploads; undefined before the first welcome. */
  get token(): string | undefined {
    return this.#token;
  }

  open(): void {
    clearTimeout(this.#retry);
    const attempt = ++this.#attempt;
    this.#leave();
    this.#setStatus("connecting");
    this.#identity.token().then(
      (token) => attempt === this.#attempt && this.#connect(attempt, token),
      () => attempt === this.#attempt && this.#comeBack(LOST),
    );
  }

  /** For good, until it is opened again. */
  close(): void {
    this.#attempt++;
    this.#leave();
    clearTimeout(this.#retry);
    this.#setStatus("closed");
  }

  /** Now rather than later: the network or the person is back. */
  hurry(): void {
    if (this.#status === "away" || this.#status === "full") this.open();
  }

  /** The network is gone, as the device says: no need to find out. */
  drop(): void {
    if (this.#connection) this.#closed(LOST);
  }

  /** Makes room for another connection of the same visitor. */
  yieldPlace(): void {
    if (this.#status !== "open") return;
    this.#attempt++;
    this.#leave();
    this.#setStatus("full");
  }

  /** As somebody new. */
  startOver(): void {
    this.#identity.forget();
    this.become(this.#identity);
  }

  /** Goes on as whoever this is. */
  become(identity: ChatIdentity): void {
    this.#identity = identity;
    this.#token = undefined;
    this.#forgetLog();
    this.open();
  }

  submit(item: Outgoing): void {
    this.#sender.add(item);
    this.hurry();
  }

  /** Sends again what was given up. */
  retry(id: string): void {
    this.#sender.retry(id);
    this.hurry();
  }

  discard(id: string): void {
    this.#sender.discard(id);
  }

  askForHistory(before: number): void {
    this.#historyBefore = before;
    if (this.#status === "open") this.#send({ type: "history", before, limit: HISTORY_PAGE });
  }

  #connect(attempt: number, token: string | undefined): void {
    this.#refusal = undefined;
    this.#sentToken = token;
    const whileCurrent =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A): void => {
        if (attempt === this.#attempt) handle(...args);
      };
    this.#connection = this.#parts.transport({
      opened: whileCurrent(() => this.#send(this.#hello(token))),
      received: whileCurrent((text: string) => this.#receive(text)),
      closed: whileCurrent((code: number) => this.#closed(code)),
    });
  }

  #hello(token: string | undefined): Hello {
    return {
      type: "hello",
      ...this.#parts.about(),
      ...(token !== undefined && { token }),
      ...(token !== undefined && this.#lastSeq !== undefined && { resumeFrom: this.#lastSeq }),
    };
  }

  #receive(text: string): void {
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === "welcome") {
      if (!this.#welcomed(frame)) return;
    } else if (frame.type === "error") this.#refused(frame.code, frame.message, frame.id);
    else if (frame.type === "storage") this.#sender[frame.available ? "release" : "hold"]();
    else if (frame.type === "accepted") this.#sender.accepted(frame.id);
    else if (frame.type === "history") this.#historyBefore = undefined;
    else if (frame.type === "said" || frame.type === "reply" || frame.type === "edit") this.#lastSeq = frame.seq;
    if (frame.type === "said") this.#sender.accepted(frame.id);
    this.#parts.listener.frame(frame);
  }

  #welcomed({ token, seq }: Extract<ServerFrame, { type: "welcome" }>): boolean {
    if (!this.#identity.welcomed(token, this.#sentToken)) {
      this.open();
      return false;
    }
    this.#token = token;
    this.#pause.reset();
    if (this.#lastSeq === undefined) {
      this.#lastSeq = seq;
      this.#historyBefore = seq + 1;
    }
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => this.open(), RENEW_EVERY_MS);
    this.#setStatus("open");
    if (this.#historyBefore !== undefined) this.askForHistory(this.#historyBefore);
    this.#sender.sendFirst();
    return true;
  }

  #refused(code: ErrorCode, message: string, id: string | undefined): void {
    this.#refusal = code;
    if (code === "resume-ahead") {
      this.#lastSeq = 0;
      this.#parts.listener.cleared();
    }
    if (id !== undefined) this.#sender.refused(id, code, message);
  }

  #send(frame: ClientFrame): void {
    this.#connection?.send(JSON.stringify(frame));
  }

  /** Does not wait for the close of a connection that may be dead. */
  #leave(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#sender.disconnected();
    clearTimeout(this.#renewal);
    connection?.close();
  }

  #closed(code: number): void {
    this.#attempt++;
    this.#leave();
    if (code === closeCodes.tooLarge) this.#sender.giveUpFirst("it is too long");
    if (code === closeCodes.tokenRefused && isTokenRefusal(this.#refusal)) this.#goOnWithout(this.#refusal);
    else if (GIVE_UP.has(code)) this.#setStatus("refused", this.#refusal ?? "refused");
    else this.#comeBack(code);
  }

  #goOnWithout(refusal: TokenRefusal): void {
    const next = this.#identity.refused(refusal);
    if (next === "anew") this.startOver();
    else if (next === "again") this.#comeBack(LOST);
    else this.#setStatus("refused", refusal);
  }

  #comeBack(code: number): void {
    this.#setStatus(code === closeCodes.visitorFull ? "full" : "away");
    this.#retry = setTimeout(() => this.open(), this.#pause.nextMs(code));
  }

  #forgetLog(): void {
    this.#lastSeq = undefined;
    this.#historyBefore = undefined;
    this.#parts.listener.cleared();
  }

  #setStatus(status: ChatStatus, reason?: ErrorCode): void {
    this.#status = status;
    this.#parts.listener.statusChanged(status, reason);
  }
}

type Timeout = ReturnType<typeof setTimeout> | undefined;

const isTokenRefusal = (code: ErrorCode | undefined): code is TokenRefusal => code?.startsWith("token-") === true;

/** What a browser calls a close that nobody has said. */
const LOST = 1006;
const HISTORY_PAGE = 100;
/** A token is renewed with every welcome, long before it expires. */
const RENEW_EVERY_MS = 12 * 3_600_000;
/** The gateway does not understand this client: coming back would not help. */
const GIVE_UP: ReadonlySet<number> = new Set([closeCodes.binary, closeCodes.notUtf8, closeCodes.tooManyBadFrames]);
