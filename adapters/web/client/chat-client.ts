import type { ClientFrame, ErrorCode, Hello, ServerFrame } from "../protocol.ts";
import { closeCodes } from "../protocol-constants.ts";
import { ABNORMAL_CLOSE, FATAL_CODES, ReconnectBackoff } from "./backoff.ts";
import { type ChatIdentity, isTokenRefusal, type TokenRefusal } from "./chat-identity.ts";
import type { ChatListener, ChatStatus } from "./chat-listener.ts";
import type { ChatConnection, ChatTransport } from "./chat-transport.ts";
import { MAIN_CONVERSATION, NEW_CONVERSATION, type StartedConversation } from "./conversation-requests.ts";
import { inMain, type Outgoing, type OutgoingQueue } from "./outgoing-queue.ts";
import { OutgoingSender } from "./outgoing-sender.ts";

export interface ChatClientDeps {
  readonly transport: ChatTransport;
  readonly queue: OutgoingQueue;
  readonly listener: ChatListener;
  /** Whether a person looks at the chat now, so that it reconnects fast. Absent: always. */
  isWatched?(): boolean;
  /** Starts a new conversation. Rejects if a retry may succeed. Absent: the client never enters one. */
  start?(token: string | undefined): Promise<StartedConversation>;
  /** Optional fields of `hello`. */
  about(): Pick<Hello, "timeZone" | "locale">;
}

/** Keeps a connection open: reconnects, resumes from the last `seq`, and sends the queue. */
export class ChatClient {
  readonly #deps: ChatClientDeps;
  readonly #backoff = new ReconnectBackoff();
  readonly #sender: OutgoingSender;
  #identity: ChatIdentity;
  #connection: ChatConnection | undefined;
  /** Increases with every attempt; events of earlier attempts are ignored. */
  #attempt = 0;
  #sentToken: string | undefined;
  #token: string | undefined;
  #status: ChatStatus = "closed";
  /** Undefined: the main conversation. */
  #conversation: string | undefined;
  #lastSeq: number | undefined;
  #historyBefore: number | undefined;
  #refusal: ErrorCode | undefined;
  #retry: Timeout;
  #renewal: Timeout;
  #handshake: Timeout;

  constructor(identity: ChatIdentity, deps: ChatClientDeps) {
    this.#identity = identity;
    this.#deps = deps;
    this.#sender = new OutgoingSender({
      queue: deps.queue,
      queueChanged: () => deps.listener.queueChanged(),
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

  /** The latest token, for uploads; undefined before the first welcome. */
  get token(): string | undefined {
    return this.#token;
  }

  open(): void {
    clearTimeout(this.#retry);
    const attempt = ++this.#attempt;
    this.#disconnect();
    this.#setStatus("connecting");
    this.#prepare(attempt).then(
      (token) => attempt === this.#attempt && this.#connect(attempt, token),
      () => attempt === this.#attempt && this.#reconnectLater(ABNORMAL_CLOSE),
    );
  }

  /** Starts the new conversation that this client is in or has messages for; resolves to the token of `hello`. */
  async #prepare(attempt: number): Promise<string | undefined> {
    const token = await this.#identity.token();
    const { queue, start } = this.#deps;
    const started = this.conversation === NEW_CONVERSATION || queue.needsStart ? await start?.(token) : undefined;
    if (started === undefined || attempt !== this.#attempt) return token;
    queue.started(started);
    if (this.#conversation === NEW_CONVERSATION) this.#follow(started.id);
    return token;
  }

  /** Disconnects without reconnecting, until `open` is called. */
  close(): void {
    this.#attempt++;
    this.#disconnect();
    clearTimeout(this.#retry);
    this.#setStatus("closed");
  }

  /** Reconnects without waiting for the backoff, because the network or the person is back. */
  reconnect(): void {
    if (this.#status === "away" || this.#status === "full") this.open();
  }

  /** The device reports that the network is down; no need to wait for a timeout. */
  drop(): void {
    if (this.#connection) this.#onClosed(ABNORMAL_CLOSE);
  }

  /** Releases the connection for another tab of the same visitor. */
  yieldSlot(): void {
    if (this.#status !== "open") return;
    this.#attempt++;
    this.#disconnect();
    this.#setStatus("full");
  }

  /** Continues as a new visitor. */
  startOver(): void {
    this.#identity.forget();
    this.switchTo(this.#identity);
  }

  switchTo(identity: ChatIdentity): void {
    this.#identity = identity;
    this.#token = undefined;
    this.#follow(MAIN_CONVERSATION);
    this.#resetLog();
    this.open();
  }

  /** The conversation that the client follows, or will follow once connected. */
  get conversation(): string {
    return this.#conversation ?? MAIN_CONVERSATION;
  }

  /** Follows another conversation of the visitor. Unsent messages stay in theirs. */
  enter(conversation: string): void {
    this.#deps.queue.nameConversation(this.conversation);
    this.#follow(conversation);
    this.#resetLog();
    this.open();
  }

  #follow(conversation: string): void {
    this.#conversation = conversation === MAIN_CONVERSATION ? undefined : conversation;
  }

  submit(item: Outgoing): void {
    const conversation = this.#conversation;
    this.#sender.add(conversation === undefined ? item : { ...item, frame: { conversation, ...item.frame } });
    this.reconnect();
  }

  adopt(items: readonly Outgoing[]): void {
    this.#sender.adopt(inMain(items));
    if (this.#deps.queue.needsStart && this.#status !== "closed") this.open();
  }

  /** Sends a failed message again. */
  retry(id: string): void {
    this.#sender.retry(id);
    this.reconnect();
  }

  discard(id: string): void {
    this.#sender.discard(id);
  }

  requestHistory(before: number): void {
    this.#historyBefore = before;
    if (this.#status === "open") this.#send({ type: "history", before, limit: HISTORY_PAGE_SIZE });
  }

  #connect(attempt: number, token: string | undefined): void {
    this.#refusal = undefined;
    this.#sentToken = token;
    const whileCurrent =
      <A extends unknown[]>(handle: (...args: A) => void) =>
      (...args: A): void => {
        if (attempt === this.#attempt) handle(...args);
      };
    // On a network that drops packets, the handshake would take minutes to fail.
    this.#handshake = setTimeout(
      whileCurrent(() => this.#onClosed(ABNORMAL_CLOSE)),
      HANDSHAKE_TIMEOUT_MS,
    );
    this.#connection = this.#deps.transport({
      opened: whileCurrent(() => {
        clearTimeout(this.#handshake);
        this.#send(this.#hello(token));
      }),
      received: whileCurrent((text: string) => this.#receive(text)),
      closed: whileCurrent((code: number) => this.#onClosed(code)),
    });
  }

  #hello(token: string | undefined): Hello {
    return {
      type: "hello",
      ...this.#deps.about(),
      ...(this.#conversation !== undefined && { conversation: this.#conversation }),
      ...(token !== undefined && { token }),
      ...(token !== undefined && this.#lastSeq !== undefined && { resumeFrom: this.#lastSeq }),
    };
  }

  #receive(text: string): void {
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === "welcome") {
      if (!this.#onWelcome(frame)) return;
    } else if (frame.type === "error") this.#onError(frame.code, frame.message, frame.id);
    else if (frame.type === "storage") this.#sender[frame.available ? "release" : "hold"]();
    else if (frame.type === "accepted") this.#sender.accepted(frame.id);
    else if (frame.type === "history") this.#historyBefore = undefined;
    else if (frame.type === "said" || frame.type === "reply" || frame.type === "edit") this.#lastSeq = frame.seq;
    if (frame.type === "said") this.#sender.accepted(frame.id);
    this.#deps.listener.frame(frame);
  }

  #onWelcome({ token, seq }: Extract<ServerFrame, { type: "welcome" }>): boolean {
    if (!this.#identity.welcomed(token, this.#sentToken)) {
      this.open();
      return false;
    }
    this.#token = token;
    this.#backoff.reset();
    if (this.#lastSeq === undefined) {
      this.#lastSeq = seq;
      this.#historyBefore = seq + 1;
    }
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => this.open(), RENEWAL_INTERVAL_MS);
    this.#setStatus("open");
    if (this.#historyBefore !== undefined) this.requestHistory(this.#historyBefore);
    this.#sender.sendFirst();
    return true;
  }

  #onError(code: ErrorCode, message: string, id: string | undefined): void {
    this.#refusal = code;
    if (code === "resume-ahead") {
      this.#lastSeq = 0;
      this.#deps.listener.cleared();
    }
    if (id !== undefined) this.#sender.refused(id, code, message);
  }

  #send(frame: ClientFrame): void {
    this.#connection?.send(JSON.stringify(frame));
  }

  /** Does not wait for the close event, because the connection may be dead. */
  #disconnect(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#sender.disconnected();
    clearTimeout(this.#handshake);
    clearTimeout(this.#renewal);
    connection?.close();
  }

  #onClosed(code: number): void {
    this.#attempt++;
    this.#disconnect();
    if (code === closeCodes.tooLarge) this.#sender.failFirst("it is too long");
    if (code === closeCodes.tokenRefused && isTokenRefusal(this.#refusal)) this.#onTokenRefused(this.#refusal);
    else if (code === closeCodes.conversationUnknown) this.enter(MAIN_CONVERSATION);
    else if (FATAL_CODES.has(code)) this.#setStatus("refused", this.#refusal ?? "refused");
    else this.#reconnectLater(code);
  }

  #onTokenRefused(refusal: TokenRefusal): void {
    const next = this.#identity.refused(refusal);
    if (next === "start-over") this.startOver();
    else if (next === "retry") this.#reconnectLater(ABNORMAL_CLOSE);
    else this.#setStatus("refused", refusal);
  }

  #reconnectLater(code: number): void {
    this.#setStatus(code === closeCodes.visitorFull ? "full" : "away");
    this.#retry = setTimeout(() => this.open(), this.#backoff.nextMs(code, this.#deps.isWatched?.() ?? true));
  }

  #resetLog(): void {
    this.#lastSeq = undefined;
    this.#historyBefore = undefined;
    this.#deps.listener.cleared();
  }

  #setStatus(status: ChatStatus, reason?: ErrorCode): void {
    this.#status = status;
    this.#deps.listener.statusChanged(status, reason);
  }
}

type Timeout = ReturnType<typeof setTimeout> | undefined;

const HANDSHAKE_TIMEOUT_MS = 8_000;
const HISTORY_PAGE_SIZE = 100;
/** Each welcome renews the token, long before it expires. */
const RENEWAL_INTERVAL_MS = 12 * 3_600_000;
