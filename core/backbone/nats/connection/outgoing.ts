import {
  createInbox,
  ErrorCode,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NatsError,
  type PublishOptions,
} from "nats";
import type { Clock, Timer } from "../../../contract/ports/clock.ts";
import type { NatsOptions } from "./nats-options.ts";

interface Publication {
  readonly subject: string;
  readonly data?: Uint8Array | string;
  readonly options?: PublishOptions;
  /** The client refused it: the connection has ended, or the message is too large. */
  failed?(error: unknown): void;
}

/**
 * Batches the publications of one connection: those of one pass of the event loop leave in one socket write, which costs
 * this process and the server less than the client's eager writes.
 */
export class Outgoing {
  readonly #nc: NatsConnection;
  #waiting: Publication[] = [];

  constructor(nc: NatsConnection) {
    this.#nc = nc;
  }

  send(publication: Publication): void {
    if (this.#waiting.push(publication) === 1) setImmediate(() => this.flush());
  }

  /** Hands all waiting publications to the client now. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { subject, data, options, failed } of waiting) {
      try {
        this.#nc.publish(subject, data, options);
      } catch (error) {
        failed?.(error);
      }
    }
  }
}

interface Pending {
  readonly subject: string;
  readonly deadline: number;
  resolve(answer: Msg): void;
  reject(error: unknown): void;
}

/**
 * Requests on one connection. The client's request() creates a timer, and an error with a stack, for each request: a
 * tenth of the CPU of a message. Here all requests share one timer, for the earliest deadline.
 */
export class RequestInbox {
  readonly #nc: NatsConnection;
  readonly #outgoing: Outgoing;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #inbox: string;
  readonly #pending = new Map<string, Pending>();
  #count = 0;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(
    nc: NatsConnection,
    outgoing: Outgoing,
    options: Pick<NatsOptions, "clock" | "requestTimeoutMs" | "inboxPrefix">,
  ) {
    this.#nc = nc;
    this.#outgoing = outgoing;
    this.#clock = options.clock;
    this.#timeoutMs = options.requestTimeoutMs;
    this.#inbox = `${createInbox(options.inboxPrefix)}.`;
    nc.subscribe(`${this.#inbox}*`, { callback: (error, message) => this.#answered(error, message) });
    void nc.closed().then(() => this.#rejectAll("CONNECTION_CLOSED"));
    void this.#watchDenials();
  }

  /** Rejects as the client's request() does: "TIMEOUT", "CONNECTION_CLOSED", "503" without responders, or a denial. */
  request(subject: string, data: Uint8Array, headers?: MsgHdrs, timeoutMs = this.#timeoutMs): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const token = (this.#count++).toString(36);
      const deadline = this.#clock.monotonic() + timeoutMs;
      this.#pending.set(token, { subject, deadline, resolve, reject });
      this.#wakeAt(deadline);
      const failed = (error: unknown) => {
        this.#pending.delete(token);
        reject(error);
      };
      const reply = this.#inbox + token;
      this.#outgoing.send({ subject, data, options: headers ? { reply, headers } : { reply }, failed });
    });
  }

  #answered(error: NatsError | null, message: Msg): void {
    if (error) {
      this.#rejectAll(error.code);
      return;
    }
    const token = message.subject.slice(this.#inbox.length);
    const pending = this.#pending.get(token);
    if (!pending) return;
    this.#pending.delete(token);
    if (message.data.length === 0 && message.headers?.code === 503) pending.reject(new NatsError("503", "503"));
    else pending.resolve(message);
  }

  /** The server reports a denied publication as a status of the connection, not as a reply. */
  async #watchDenials(): Promise<void> {
    for await (const { permissionContext } of this.#nc.status()) {
      if (permissionContext?.operation !== "publish") continue;
      for (const [token, { subject, reject }] of this.#pending) {
        if (subject !== permissionContext.subject) continue;
        this.#pending.delete(token);
        reject(new NatsError(`publishing to "${subject}" is not allowed`, ErrorCode.PermissionsViolation));
      }
    }
  }

  #wakeAt(deadline: number): void {
    if (this.#timer && this.#timer.at <= deadline) return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(deadline - this.#clock.monotonic(), () => this.#expire());
    this.#timer = { at: deadline, timer };
  }

  #expire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const [token, { deadline, reject }] of this.#pending) {
      if (deadline > now) {
        next = Math.min(next, deadline);
        continue;
      }
      this.#pending.delete(token);
      reject(new NatsError("TIMEOUT", "TIMEOUT"));
    }
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #rejectAll(code: string): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new NatsError(code, code));
  }
}
