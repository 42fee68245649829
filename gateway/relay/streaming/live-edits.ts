import type { Clock, Timer } from "../../../core/contract/clock.ts";

interface LiveEditsDeps<M> {
  readonly clock: Clock;
  /** Between two edits of one message. */
  readonly messageEveryMs: number;
  /** Between any two edits. */
  readonly channelEveryMs: number;
  /** Never rejects. Resolves to the pause that the platform asks for. */
  edit(message: M): Promise<number>;
}

/** Schedules edits: the message that has waited longest first, none more often than the platform allows (D8). */
export class LiveEdits<M extends object> {
  readonly #deps: LiveEditsDeps<M>;
  readonly #wanted = new Set<M>();
  readonly #inProgress = new Map<M, Promise<void>>();
  readonly #readyAt = new WeakMap<M, number>();
  #channelReadyAt = 0;
  #timer: Timer | undefined;

  constructor(deps: LiveEditsDeps<M>) {
    this.#deps = deps;
  }

  /** Starts the pause of a message that was posted just now. */
  posted(message: M): void {
    this.#readyAt.set(message, this.#deps.clock.monotonic() + this.#deps.messageEveryMs);
  }

  want(message: M): void {
    this.#wanted.add(message);
    this.#plan();
  }

  /** Starts no further edit of the message; resolves when none is in progress. */
  async end(message: M): Promise<void> {
    this.#wanted.delete(message);
    this.#plan();
    await this.#inProgress.get(message);
  }

  close(): void {
    this.#wanted.clear();
    this.#timer?.cancel();
  }

  #plan(): void {
    this.#timer?.cancel();
    const next = this.#next();
    if (next === undefined) return;
    const { clock } = this.#deps;
    const at = Math.max(this.#channelReadyAt, this.#readyAt.get(next) ?? 0);
    this.#timer = clock.after(Math.max(0, at - clock.monotonic()), () => {
      this.#start(next);
      this.#plan();
    });
  }

  #next(): M | undefined {
    let next: M | undefined;
    for (const message of this.#wanted) {
      if (this.#inProgress.has(message)) continue;
      if (next === undefined || (this.#readyAt.get(message) ?? 0) < (this.#readyAt.get(next) ?? 0)) next = message;
    }
    return next;
  }

  #start(message: M): void {
    const { clock, messageEveryMs, channelEveryMs, edit } = this.#deps;
    const now = clock.monotonic();
    this.#wanted.delete(message);
    this.#readyAt.set(message, now + messageEveryMs);
    this.#channelReadyAt = now + channelEveryMs;
    const editing = edit(message).then((pauseMs) => {
      this.#channelReadyAt = Math.max(this.#channelReadyAt, clock.monotonic() + pauseMs);
      this.#inProgress.delete(message);
      this.#plan();
    });
    this.#inProgress.set(message, editing);
  }
}
