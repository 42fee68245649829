import type { ClientFrame, ErrorCode, Hello, ServerFrame } from "../protocol.ts";
import type { ChatIdentity, TokenRefusal } from "./chat-identity.ts";
import type { ChatConnection, ChatTransport } from "./chat-transport.ts";
import type { Outgoing, OutgoingQueue } from "./outgoing-queue.ts";
import { ReconnectPause } from "./reconnect-pause.ts";

/** "full": this visitor has too many connections, and this one waits for room. */
export type ChatStatus = "connecting" | "open" | "away" | "full" | "refused" | "closed";

export interface ChatListener {
  frame(frame: ServerFrame): void;
  statusChanged(status: ChatStatus, reason?: ErrorCode): void;
  /** What waits to be sent, or could not be. */
  queueChanged(): void;
  /** Another log begins: what is shown is not part of it. */
  cleared(): void;
}

export interface ChatClientParts {
  readonly transport: ChatTransport;
  readonly queue: OutgoingQueue;
  readonly listener: ChatListener;
  /** What else `hello` tells about the person. */
  about(): Pick<Hello, "timeZone" | "locale">;
}

/** Keeps a connection open: comes back by itself, resumes where it was, and sends what waits, one at a time, in order. */
export class ChatClient {
  readonly #parts: ChatClientParts;
  readonly #pause = new ReconnectPause();
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
  #tries = 0;
  #retry: Timeout;
  #watch: Timeout;
  #renewal: Timeout;

  constructor(identity: ChatIdentity, parts: ChatClientParts) {
    this.#identity = identity;
    this.#parts = parts;
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
      () => attempt === this.#attempt && this.#comeBack(1006),
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
    if (this.#connection) this.#closed(1006);
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
    this.#parts.queue.add(item);
    this.#queueChanged();
    if (this.#parts.queue.first === item.frame) this.#sendFirst();
    this.hurry();
  }

  /** Sends again what was given up. */
  retry(id: string): void {
    const wasIdle = this.#parts.queue.first === undefined;
    this.#parts.queue.retry(id);
    this.#queueChanged();
    if (wasIdle) this.#sendFirst();
    this.hurry();
  }

  discard(id: string): void {
    this.#parts.queue.remove(id);
    this.#queueChanged();
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
    else if (frame.type === "accepted") this.#sent(frame.id);
    else if (frame.type === "history") this.#historyBefore = undefined;
    else if (frame.type === "said" || frame.type === "reply" || frame.type === "edit") this.#lastSeq = frame.seq;
    if (frame.type === "said") this.#sent(frame.id);
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
    this.#sendFirst();
    return true;
  }

  #refused(code: ErrorCode, message: string, id: string | undefined): void {
    this.#refusal = code;
    if (code === "resume-ahead") {
      this.#lastSeq = 0;
      this.#parts.listener.cleared();
    }
    if (id === undefined) return;
    clearTimeout(this.#watch);
    if (TRY_AGAIN.has(code) && ++this.#tries < MOST_TRIES) {
      this.#watch = setTimeout(() => this.#sendFirst(), TRY_AGAIN_MS);
      return;
    }
    this.#giveUp(id, message);
    this.#sendFirst();
  }

  #giveUp(id: string, message: string): void {
    this.#tries = 0;
    this.#parts.queue.fail(id, message);
    this.#queueChanged();
  }

  #sent(id: string): void {
    this.#tries = 0;
    const wasFirst = this.#parts.queue.first?.id === id;
    this.#parts.queue.remove(id);
    this.#queueChanged();
    if (wasFirst) this.#sendFirst();
  }

  #sendFirst(): void {
    clearTimeout(this.#watch);
    const { first } = this.#parts.queue;
    if (first === undefined || this.#status !== "open") return;
    this.#send(first);
    // No answer: the connection may be dead without anybody having said so.
    this.#watch = setTimeout(() => this.drop(), ANSWER_WITHIN_MS);
  }

  #send(frame: ClientFrame): void {
    this.#connection?.send(JSON.stringify(frame));
  }

  /** Does not wait for the close of a connection that may be dead. */
  #leave(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    clearTimeout(this.#watch);
    clearTimeout(this.#renewal);
    connection?.close();
  }

  #closed(code: number): void {
    this.#attempt++;
    this.#leave();
    const { first } = this.#parts.queue;
    if (code === 1009 && first) this.#giveUp(first.id, "it is too long");
    if (code === 4002 && isTokenRefusal(this.#refusal)) this.#goOnWithout(this.#refusal);
    else if (GIVE_UP.has(code)) this.#setStatus("refused", this.#refusal ?? "refused");
    else this.#comeBack(code);
  }

  #goOnWithout(refusal: TokenRefusal): void {
    const next = this.#identity.refused(refusal);
    if (next === "anew") this.startOver();
    else if (next === "again") this.#comeBack(1006);
    else this.#setStatus("refused", refusal);
  }

  #comeBack(code: number): void {
    this.#setStatus(code === 4003 ? "full" : "away");
    this.#retry = setTimeout(() => this.open(), this.#pause.nextMs(code));
  }

  #forgetLog(): void {
    this.#lastSeq = undefined;
    this.#historyBefore = undefined;
    this.#parts.listener.cleared();
  }

  #queueChanged(): void {
    this.#parts.listener.queueChanged();
  }

  #setStatus(status: ChatStatus, reason?: ErrorCode): void {
    this.#status = status;
    this.#parts.listener.statusChanged(status, reason);
  }
}

type Timeout = ReturnType<typeof setTimeout> | undefined;

const isTokenRefusal = (code: ErrorCode | undefined): code is TokenRefusal => code?.startsWith("token-") === true;

const HISTORY_PAGE = 100;
const ANSWER_WITHIN_MS = 15_000;
const TRY_AGAIN_MS = 3_000;
const MOST_TRIES = 10;
/** A token is renewed with every welcome, long before it expires. */
const RENEW_EVERY_MS = 12 * 3_600_000;
const TRY_AGAIN: ReadonlySet<ErrorCode> = new Set(["rate-limited", "busy", "unavailable"]);
/** The gateway does not understand this client: coming back would not help. */
const GIVE_UP: ReadonlySet<number> = new Set([1003, 1007, 1008]);
