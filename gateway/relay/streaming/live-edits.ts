import type { Clock, Timer } from "../../../core/contract/clock.ts";

export interface LiveEditsParts<M> {
  readonly clock: Clock;
  /** Between two edits of one message. */
  readonly messageEveryMs: number;
  /** Between any two edits. */
  readonly channelEveryMs: number;
  /** Never rejects. Resolves to how long the platform wants no further edit. */
  edit(message: M): Promise<number>;
}

/** Decides which message is edited when: who has waited longest, and none more often than the platform bears (D8). */
export class LiveEdits<M extends object> {
  readonly #parts: LiveEditsParts<M>;
  readonly #wanted = new Set<M>();
  readonly #underWay = new Map<M, Promise<void>>();
  readonly #readyAt = new WeakMap<M, number>();
  #channelReadyAt = 0;
  #timer: Timer | undefined;

  constructor(parts: LiveEditsParts<M>) {
    this.#parts = parts;
  }

  /** It was posted just now. */
  posted(message: M): void {
    this.#readyAt.set(message, this.#parts.clock.monotonic() + this.#parts.messageEveryMs);
  }

  want(message: M): void {
    this.#wanted.add(message);
    this.#plan();
  }

  /** No further edit of it begins; resolves when none is under way. */
  async end(message: M): Promise<void> {
    this.#wanted.delete(message);
    await this.#underWay.get(message);
  }

  close(): void {
    this.#wanted.clear();
    this.#timer?.cancel();
  }

  #plan(): void {
    const next = this.#next();
    if (this.#timer !== undefined || next === undefined) return;
    const at = Math.max(this.#channelReadyAt, this.#readyAt.get(next) ?? 0);
    this.#timer = this.#parts.clock.after(Math.max(0, at - this.#parts.clock.monotonic()), () => {
      this.#timer = undefined;
      this.#editNext();
      this.#plan();
    });
  }

  #next(): M | undefined {
    let next: M | undefined;
    for (const message of this.#wanted) {
      if (this.#underWay.has(message)) continue;
      if (next === undefined || (this.#readyAt.get(message) ?? 0) < (this.#readyAt.get(next) ?? 0)) next = message;
    }
    return next;
  }

  #editNext(): void {
    const message = this.#next();
    if (message === undefined) return;
    const { clock, messageEveryMs, channelEveryMs, edit } = this.#parts;
    const now = clock.monotonic();
    // The one that the timer was set for may be gone.
    if ((this.#readyAt.get(message) ?? 0) > now) return;
    this.#wanted.delete(message);
    this.#readyAt.set(message, now + messageEveryMs);
    this.#channelReadyAt = now + channelEveryMs;
    const editing = edit(message).then((pauseMs) => {
      this.#channelReadyAt = Math.max(this.#channelReadyAt, clock.monotonic() + pauseMs);
      this.#underWay.delete(message);
      this.#plan();
    });
    this.#underWay.set(message, editing);
  }
}
