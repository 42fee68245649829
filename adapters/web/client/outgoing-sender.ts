import type { ErrorCode } from "../protocol.ts";
import type { Outgoing, OutgoingFrame, OutgoingQueue } from "./outgoing-queue.ts";

export interface SenderParts {
  readonly queue: OutgoingQueue;
  /** False: there is nothing to send on just now. */
  send(frame: OutgoingFrame): boolean;
  queueChanged(): void;
  /** No answer came: the connection may be dead without anybody having said so. */
  unanswered(): void;
}

/** Sends what waits, one at a time, in order, and again what the gateway could not take just then. */
export class OutgoingSender {
  readonly #parts: SenderParts;
  #tries = 0;
  /** The gateway cannot store anything now, and says when it can again. */
  #isHeld = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  add(item: Outgoing): void {
    const { queue } = this.#parts;
    queue.add(item);
    this.#parts.queueChanged();
    if (queue.first === item.frame) this.sendFirst();
  }

  /** Sends again what was given up. */
  retry(id: string): void {
    const { queue } = this.#parts;
    const wasIdle = queue.first === undefined;
    queue.retry(id);
    this.#parts.queueChanged();
    if (wasIdle) this.sendFirst();
  }

  discard(id: string): void {
    this.#parts.queue.remove(id);
    this.#parts.queueChanged();
  }

  /** Until `release`, nothing is sent but a rare attempt, in case the gateway's word is lost. */
  hold(): void {
    this.#isHeld = true;
    this.#tries = 0;
    this.#sendLater(HELD_MS);
  }

  /** Many clients wait for the same gateway, so each sends at a moment of its own. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#sendLater(Math.random() * RELEASE_WITHIN_MS);
  }

  sendFirst(): void {
    if (this.#isHeld) this.#sendLater(HELD_MS);
    else this.#sendNow();
  }

  #sendNow(): void {
    this.pause();
    const { first } = this.#parts.queue;
    if (first === undefined || !this.#parts.send(first)) return;
    this.#timer = setTimeout(() => this.#parts.unanswered(), ANSWER_WITHIN_MS);
  }

  #sendLater(ms: number): void {
    this.pause();
    this.#timer = setTimeout(() => this.#sendNow(), ms);
  }

  /** Waits for nothing until the next `sendFirst`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Another connection begins, and may lead to another gateway. */
  disconnected(): void {
    this.#isHeld = false;
    this.pause();
  }

  accepted(id: string): void {
    this.#tries = 0;
    const wasFirst = this.#parts.queue.first?.id === id;
    this.discard(id);
    if (wasFirst) this.sendFirst();
  }

  refused(id: string, code: ErrorCode, message: string): void {
    const mayRetry = TRY_AGAIN.has(code);
    if (mayRetry && this.#isHeld) this.#sendLater(HELD_MS);
    else if (mayRetry && ++this.#tries < MOST_TRIES) this.#sendLater(retryPauseMs(this.#tries));
    else {
      this.#giveUp(id, message);
      this.sendFirst();
    }
  }

  giveUpFirst(message: string): void {
    const { first } = this.#parts.queue;
    if (first) this.#giveUp(first.id, message);
  }

  #giveUp(id: string, message: string): void {
    this.#tries = 0;
    this.#parts.queue.fail(id, message);
    this.#parts.queueChanged();
  }
}

const ANSWER_WITHIN_MS = 15_000;
const MOST_TRIES = 10;
const HELD_MS = 30_000;
const RELEASE_WITHIN_MS = 500;
const TRY_AGAIN: ReadonlySet<ErrorCode> = new Set(["rate-limited", "busy", "unavailable"]);

/** Doubles from one second to fifteen; half of it is jitter. */
const retryPauseMs = (tries: number): number => {
  const longest = Math.min(15_000, 1_000 * 2 ** (tries - 1));
  return longest / 2 + (Math.random() * longest) / 2;
};
