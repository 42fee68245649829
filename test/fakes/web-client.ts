import { type ClientOptions, WebSocket } from "ws";
import type { Activity } from "../../core/contract/messages/agent-reply.ts";

export interface LogItem {
  readonly type: "said" | "reply" | "edit";
  readonly seq: number;
  readonly id: string;
  readonly text?: string;
  readonly markdown?: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly correlationId?: string;
  readonly sessionId?: string;
  readonly anchor?: { readonly summary: string; readonly channel: string };
  readonly actions?: readonly { readonly name: string; readonly value?: string }[];
  readonly activity?: Activity;
  readonly files?: readonly { readonly id: string; readonly name: string }[];
}
interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * A client of `mooring.v1` that records sent, accepted and received messages. After a disconnect it resumes from its
 * last `seq` and retries unaccepted messages with the same id.
 */
export class WebClient {
  /** Ids in the order of their first sending. */
  readonly sent: string[] = [];
  readonly accepted: string[] = [];
  /** All frames with a `seq`, in order. */
  readonly log: LogItem[] = [];
  readonly deltas: Frame[] = [];
  readonly errors: Frame[] = [];
  /** The reported storage states. */
  readonly storage: boolean[] = [];
  readonly closeCodes: number[] = [];
  /** Time from each disconnect to the next welcome. */
  readonly resumedAfterMs: number[] = [];
  readonly #addressOf: () => string;
  readonly #socketOptions: ClientOptions;
  readonly #name: string;
  readonly #channel: string;
  readonly #outgoing = new Map<string, Frame>();
  readonly #waiters = new Set<() => void>();
  #socket: WebSocket | undefined;
  #welcomed = false;
  #cutAt: number | undefined;
  /** From the latest welcome. */
  sessionId: string | undefined;
  /** The visitor's conversation id. */
  room: string | undefined;
  #token: string | undefined;
  #closed = false;

  /**
   * `addressOf` returns an address such as "http://127.0.0.1:8080" for each attempt, so that a test can redirect the
   * client. `token` is the host page's token; absent: an anonymous visitor.
   */
  constructor(
    name: string,
    addressOf: () => string,
    channel = "web",
    token?: string,
    socketOptions: ClientOptions = {},
  ) {
    this.#socketOptions = socketOptions;
    this.#name = name;
    this.#token = token;
    this.#channel = channel;
    this.#addressOf = addressOf;
    this.#connect();
  }

  /** Queues a message; sends one at a time, which preserves the order. */
  say(text: string, replyTo?: string, attachments: readonly { id: string }[] = []): string {
    const answered = replyTo === undefined ? {} : { replyTo };
    return this.#queue({ type: "message", text, ...answered, ...(attachments.length > 0 && { attachments }) });
  }

  /** Uploads a file; resolves to the gateway's description of it. */
  async upload(name: string, content: string | Buffer, type = "text/plain"): Promise<{ id: string; name: string }> {
    const response = await fetch(
      `${this.#addressOf()}/channels/${this.#channel}/files?name=${encodeURIComponent(name)}`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${this.#token}`, "content-type": type },
        body: typeof content === "string" ? content : new Uint8Array(content),
      },
    );
    if (response.status !== 201) throw new Error(`refused with ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string; name: string };
  }

  command(name: string, args = ""): string {
    return this.#queue({ type: "command", name, args });
  }

  #queue(frame: Frame): string {
    const id = `${this.#name}-${this.sent.length + 1}`;
    this.sent.push(id);
    this.#outgoing.set(id, { ...frame, id });
    this.#sendNext();
    return id;
  }

  replies(): LogItem[] {
    return this.log.filter(({ type }) => type === "reply");
  }

  async answerTo(id: string): Promise<LogItem> {
    await this.until(() => this.replies().some(({ correlationId }) => correlationId === id), `an answer to ${id}`);
    return this.replies().find(({ correlationId }) => correlationId === id) as LogItem;
  }

  async until(condition: () => boolean, what: string, withinMs = 60_000): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!condition()) return;
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(check);
        reject(new Error(`${this.#name} timed out waiting for ${what}: ${this.#summary()}`));
      }, withinMs);
      this.#waiters.add(check);
    });
  }

  /** Ends the connection without a close frame; the client reconnects. */
  cut(): void {
    this.#socket?.terminate();
  }

  close(): void {
    this.#closed = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    if (this.#closed) return;
    const address = this.#addressOf();
    const socket = new WebSocket(`${address.replace("http", "ws")}/channels/${this.#channel}/socket`, "mooring.v1", {
      origin: address,
      ...this.#socketOptions,
    });
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("open", () => this.#transmit({ type: "hello", token: this.#token, resumeFrom: this.#cursor }));
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as Frame));
    socket.on("close", (code) => {
      this.closeCodes.push(code);
      if (this.#welcomed) this.#cutAt = performance.now();
      this.#welcomed = false;
      setTimeout(() => this.#connect(), 50);
      this.#wake();
    });
  }

  /** The visitor's token, from the host page or from the last welcome. */
  get token(): string | undefined {
    return this.#token;
  }

  get #cursor(): number {
    return this.log.at(-1)?.seq ?? 0;
  }

  #receive(frame: Frame): void {
    if (frame.type === "welcome") {
      this.#token = String(frame.token);
      this.#welcomed = true;
      if (this.#cutAt !== undefined) this.resumedAfterMs.push(performance.now() - this.#cutAt);
      this.#cutAt = undefined;
      this.sessionId = String(frame.sessionId);
      this.room = String(frame.conversation);
      this.#sendNext();
    } else if (frame.type === "accepted") {
      this.accepted.push(String(frame.id));
      this.#sendNext();
    } else if (["said", "reply", "edit"].includes(frame.type)) {
      this.log.push(frame as unknown as LogItem);
    } else if (frame.type === "delta") this.deltas.push(frame);
    else if (frame.type === "storage") {
      this.storage.push(frame.available === true);
      if (frame.available) this.#sendNext();
    } else if (frame.type === "error") {
      this.errors.push(frame);
      if (frame.id !== undefined && this.storage.at(-1) !== false) setTimeout(() => this.#sendNext(), 50);
    }
    this.#wake();
  }

  #sendNext(): void {
    const id = this.sent[new Set(this.accepted).size];
    const frame = id === undefined ? undefined : this.#outgoing.get(id);
    if (frame !== undefined && this.#welcomed) this.#transmit(frame);
  }

  #transmit(frame: Frame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #wake(): void {
    for (const check of [...this.#waiters]) check();
  }

  #summary(): string {
    const { sent, accepted, closeCodes, errors } = this;
    const log = this.log.map(({ seq, type, id, correlationId }) => `${seq} ${type} ${correlationId ?? id}`);
    return JSON.stringify({ sent: sent.length, accepted: accepted.length, log, closeCodes, errors });
  }
}
