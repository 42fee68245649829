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
    this.#plan();
    await this.#underWay.get(message);
  }

  close(): void {
    this.#wanted.clear();
    this.#timer?.cancel();
  }

  #plan(): void {
    this.#timer?.cancel();
    const next = this.#next();
    if (next === undefined) return;
    const { clock } = this.#parts;
    const at = Math.max(this.#channelReadyAt, this.#readyAt.get(next) ?? 0);
    this.#timer = clock.after(Math.max(0, at - clock.monotonic()), () => {
      this.#start(next);
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

  #start(message: M): void {
    const { clock, messageEveryMs, channelEveryMs, edit } = this.#parts;
    const now = clock.monotonic();
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
