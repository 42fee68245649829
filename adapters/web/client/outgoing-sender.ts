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

  sendFirst(): void {
    this.pause();
    const { first } = this.#parts.queue;
    if (first === undefined || !this.#parts.send(first)) return;
    this.#timer = setTimeout(() => this.#parts.unanswered(), ANSWER_WITHIN_MS);
  }

  /** Waits for nothing until the next `sendFirst`. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  accepted(id: string): void {
    this.#tries = 0;
    const wasFirst = this.#parts.queue.first?.id === id;
    this.discard(id);
    if (wasFirst) this.sendFirst();
  }

  refused(id: string, code: ErrorCode, message: string): void {
    this.pause();
    if (TRY_AGAIN.has(code) && ++this.#tries < MOST_TRIES) {
      this.#timer = setTimeout(() => this.sendFirst(), TRY_AGAIN_MS);
      return;
    }
    this.#giveUp(id, message);
    this.sendFirst();
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
const TRY_AGAIN_MS = 3_000;
const MOST_TRIES = 10;
const TRY_AGAIN: ReadonlySet<ErrorCode> = new Set(["rate-limited", "busy", "unavailable"]);
