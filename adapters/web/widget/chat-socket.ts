import type { ClientFrame, ErrorCode, Hello, ServerFrame } from "../protocol.ts";
import type { KeptValues } from "./kept-values.ts";
import type { Outgoing, OutgoingQueue } from "./outgoing-queue.ts";

export type ChatState = "connecting" | "open" | "away" | "refused";

export interface ChatListener {
  frame(frame: ServerFrame): void;
  state(state: ChatState, reason?: ErrorCode): void;
  /** The gateway will not take it, however often it is sent. */
  failed(id: string, message: string): void;
}

/** Keeps a socket open: comes back by itself, resumes where it was, and sends what waits, one at a time, in order. */
export class ChatSocket {
  readonly #url: string;
  readonly #tokens: KeptValues;
  readonly #queue: OutgoingQueue;
  readonly #listener: ChatListener;
  #socket: WebSocket | undefined;
  #isWelcome = false;
  #lastSeq: number | undefined;
  #historyBefore: number | undefined;
  #failures = 0;
  #refusal: ErrorCode | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, tokens: KeptValues, queue: OutgoingQueue, listener: ChatListener) {
    this.#url = url;
    this.#tokens = tokens;
    this.#queue = queue;
    this.#listener = listener;
  }

  open(): void {
    clearTimeout(this.#retry);
    if (this.#socket) return;
    this.#refusal = undefined;
    this.#listener.state("connecting");
    const socket = new WebSocket(this.#url, "mooring.v1");
    this.#socket = socket;
    socket.onopen = () => this.#send(this.#hello());
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as ServerFrame);
    socket.onclose = ({ code }) => this.#closed(socket, code);
  }

  /** Now rather than later: the network or the person is back. */
  hurry(): void {
    if (this.#socket === undefined && this.#refusal === undefined) this.open();
  }

  /** Forgets who the visitor was. */
  startOver(): void {
    this.#tokens.set("token", undefined);
    this.#lastSeq = undefined;
    this.open();
  }

  submit(frame: Outgoing): void {
    this.#queue.add(frame);
    if (this.#queue.first === frame) this.#sendFirst();
    this.hurry();
  }

  askForHistory(before: number): void {
    this.#historyBefore = before;
    if (this.#isWelcome) this.#send({ type: "history", before, limit: 50 });
  }

  #hello(): Hello {
    const token = this.#tokens.get("token");
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    return {
      type: "hello",
      timeZone,
      locale: navigator.language,
      ...(token !== undefined && { token }),
      ...(token !== undefined && this.#lastSeq !== undefined && { resumeFrom: this.#lastSeq }),
    };
  }

  #receive(frame: ServerFrame): void {
    if (frame.type === "welcome") this.#welcomed(frame);
    else if (frame.type === "error") this.#refused(frame.code, frame.message, frame.id);
    else if (frame.type === "accepted") this.#sent(frame.id);
    else if (frame.type === "history") this.#historyBefore = undefined;
    else if (frame.type === "said" || frame.type === "reply" || frame.type === "edit") this.#lastSeq = frame.seq;
    if (frame.type === "said") this.#sent(frame.id);
    this.#listener.frame(frame);
  }

  #welcomed({ token, seq }: Extract<ServerFrame, { type: "welcome" }>): void {
    this.#isWelcome = true;
    this.#failures = 0;
    this.#tokens.set("token", token);
    if (this.#lastSeq === undefined) {
      this.#lastSeq = seq;
      this.#historyBefore = seq + 1;
    }
    this.#listener.state("open");
    if (this.#historyBefore !== undefined) this.askForHistory(this.#historyBefore);
    this.#sendFirst();
  }

  #refused(code: ErrorCode, message: string, id: string | undefined): void {
    this.#refusal = code;
    if (code === "resume-ahead") this.#lastSeq = 0;
    if (id === undefined) return;
    clearTimeout(this.#watch);
    if (TRY_AGAIN.has(code)) {
      this.#watch = setTimeout(() => this.#sendFirst(), 3_000);
      return;
    }
    this.#giveUp(id, message);
    this.#sendFirst();
  }

  #giveUp(id: string, message: string): void {
    this.#queue.remove(id);
    this.#listener.failed(id, message);
  }

  #sent(id: string): void {
    const wasFirst = this.#queue.first?.id === id;
    this.#queue.remove(id);
    if (wasFirst) this.#sendFirst();
  }

  #sendFirst(): void {
    clearTimeout(this.#watch);
    const first = this.#queue.first;
    if (first === undefined || !this.#isWelcome) return;
    this.#send(first);
    // No answer: the connection may be dead without anybody having said so.
    this.#watch = setTimeout(() => this.#drop(), 15_000);
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Does not wait for the close of a connection that may be dead. */
  #drop(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    socket.close();
    this.#closed(socket, 1006);
  }

  #closed(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#isWelcome = false;
    clearTimeout(this.#watch);
    if (code === 1009 && this.#queue.first) this.#giveUp(this.#queue.first.id, "it is too long");
    const refusal = code === 4002 ? this.#refusal : undefined;
    if (refusal === "token-expired" || refusal === "token-unknown") {
      this.startOver();
    } else if (refusal !== undefined || GIVE_UP.has(code)) {
      this.#refusal ??= "refused";
      this.#listener.state("refused", this.#refusal);
    } else {
      this.#refusal = undefined;
      this.#listener.state("away");
      this.#retry = setTimeout(() => this.open(), this.#pauseMs(code));
    }
  }

  #pauseMs(code: number): number {
    if (code === 1012 && this.#failures === 0) return Math.random() * 2_000;
    if (code === 4003 || code === 4004) return 30_000;
    const longest = Math.min(30_000, 500 * 2 ** this.#failures++);
    return longest / 2 + (Math.random() * longest) / 2;
  }
}

const TRY_AGAIN: ReadonlySet<ErrorCode> = new Set(["rate-limited", "busy", "unavailable"]);
/** The gateway does not understand this widget: coming back would not help. */
const GIVE_UP: ReadonlySet<number> = new Set([1003, 1007, 1008]);
