import type { ErrorCode } from "../protocol.ts";
import { backoffMs } from "./backoff.ts";
import type { Outgoing, OutgoingFrame, OutgoingQueue } from "./outgoing-queue.ts";

export interface OutgoingSenderDeps {
  readonly queue: OutgoingQueue;
  /** False: there is no open connection. */
  send(frame: OutgoingFrame): boolean;
  queueChanged(): void;
  /** The answer timed out: the connection may be dead. */
  unanswered(): void;
}

/** Sends the queue one message at a time, in order, and retries temporary refusals. */
export class OutgoingSender {
  readonly #deps: OutgoingSenderDeps;
  #attempts = 0;
  /** The gateway has reported an outage and will report its end. */
  #isHeld = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: OutgoingSenderDeps) {
    this.#deps = deps;
  }

  add(item: Outgoing): void {
    const { queue } = this.#deps;
    queue.add(item);
    this.#deps.queueChanged();
    if (queue.first === item.frame) this.sendFirst();
  }

  /** Takes over messages of a tab that has ended; failed ones wait for the person. */
  adopt(items: readonly Outgoing[]): void {
    const { queue } = this.#deps;
    const wasIdle = queue.first === undefined;
    for (const item of items) queue.add(item);
    this.#deps.queueChanged();
    if (wasIdle) this.sendFirst();
  }

  /** Sends a failed message again. */
  retry(id: string): void {
    const { queue } = this.#deps;
    const wasIdle = queue.first === undefined;
    queue.retry(id);
    this.#deps.queueChanged();
    if (wasIdle) this.sendFirst();
  }

  discard(id: string): void {
    this.#deps.queue.remove(id);
    this.#deps.queueChanged();
  }

  /** Until `release`, only a rare probe is sent, in case the gateway's report is lost. */
  hold(): void {
    this.#isHeld = true;
    this.#attempts = 0;
    this.#sendLater(PROBE_INTERVAL_MS);
  }

  /** Jitter, because many clients wait for the same gateway. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#sendLater(Math.random() * MAX_RELEASE_JITTER_MS);
  }

  sendFirst(): void {
    if (this.#isHeld) this.#sendLater(PROBE_INTERVAL_MS);
    else this.#sendNow();
  }

  #sendNow(): void {
    this.pause();
    const { first } = this.#deps.queue;
    if (first === undefined || !this.#deps.send(first)) return;
    this.#timer = setTimeout(() => this.#deps.unanswered(), ANSWER_TIMEOUT_MS);
  }

  #sendLater(ms: number): void {
    this.pause();
    this.#timer = setTimeout(() => this.#sendNow(), ms);
  }

  /** Cancels the timer until the next `sendFirst`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** The next connection may lead to another gateway, without an outage. */
  disconnected(): void {
    this.#isHeld = false;
    this.pause();
  }

  accepted(id: string): void {
    this.#attempts = 0;
    const wasFirst = this.#deps.queue.first?.id === id;
    this.discard(id);
    if (wasFirst) this.sendFirst();
  }

  refused(id: string, code: ErrorCode, message: string): void {
    const mayRetry = RETRYABLE.has(code);
    if (mayRetry && this.#isHeld) this.#sendLater(PROBE_INTERVAL_MS);
    else if (mayRetry && ++this.#attempts < MAX_ATTEMPTS) this.#sendLater(backoffMs(this.#attempts - 1, 1_000, 15_000));
    else {
      this.#fail(id, message);
      this.sendFirst();
    }
  }

  failFirst(message: string): void {
    const { first } = this.#deps.queue;
    if (first) this.#fail(first.id, message);
  }

  #fail(id: string, message: string): void {
    this.#attempts = 0;
    this.#deps.queue.fail(id, message);
    this.#deps.queueChanged();
  }
}

const ANSWER_TIMEOUT_MS = 15_000;
const MAX_ATTEMPTS = 10;
const PROBE_INTERVAL_MS = 30_000;
const MAX_RELEASE_JITTER_MS = 500;
const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["rate-limited", "busy", "unavailable"]);
