import type { QueueDepth } from "../contract/ports/backbone.ts";
import type { ConsumeOptions, Handler, Wait } from "../contract/ports/bus.ts";
import type { Clock, Timer } from "../contract/ports/clock.ts";
import type { Subject } from "../contract/ports/subject.ts";
import { KeyLanes, type Lane, type QueuedMessage } from "./key-lanes.ts";
import { type AttemptDeps, MessageAttempts, type MessageWork, type Pause } from "./message-attempts.ts";

interface ConsumptionDeps extends AttemptDeps {
  /** Called right before a message would start; false leaves it in the queue. */
  mayStart(message: QueuedMessage): boolean;
  /** Called whenever a run has ended, also if the message will be retried. */
  settled(message: QueuedMessage): void;
}

export type AttachOptions<T> = Pick<ConsumeOptions<T>, "concurrency" | "onDeadLetter">;

interface Worker<T> extends MessageWork<T> {
  readonly concurrency: number;
  running: number;
  closing?: () => void;
}

/**
 * Runs the messages of one durable in one process: one at a time per key, in order, retries included. Both backbones
 * push their messages into it.
 */
export class KeyedConsumption<T> {
  readonly #subject: Subject<T>;
  readonly #durable: string;
  readonly #deps: ConsumptionDeps;
  readonly #lanes = new KeyLanes();
  readonly #workers = new Set<Worker<T>>();
  readonly #running = new Set<QueuedMessage>();
  readonly #attempts: MessageAttempts<T>;
  readonly #holds = new Map<Lane, Timer>();
  readonly #lost = new WeakSet<QueuedMessage>();

  constructor(subject: Subject<T>, durable: string, deps: ConsumptionDeps) {
    this.#subject = subject;
    this.#durable = durable;
    this.#deps = deps;
    const isOwned = (message: QueuedMessage) => !this.#lost.has(message) && deps.isOwned(message);
    this.#attempts = new MessageAttempts(subject, durable, { ...deps, isOwned });
  }

  /** Adds a consumer. The result detaches it, and resolves once its running handlers have ended. */
  attach({ concurrency, onDeadLetter }: AttachOptions<T>, handle: Handler<T>): () => Promise<void> {
    const worker: Worker<T> = { concurrency, handle, onDeadLetter, running: 0 };
    this.#workers.add(worker);
    this.#startReady();
    let detached: Promise<void> | undefined;
    return () => {
      detached ??= this.#detach(worker);
      return detached;
    };
  }

  get hasWorkers(): boolean {
    return this.#workers.size > 0;
  }

  get depth(): QueueDepth {
    const running = this.#running.size;
    return {
      subject: this.#subject.name,
      durable: this.#durable,
      waiting: Math.max(0, this.#lanes.length - running),
      running,
    };
  }

  push(message: QueuedMessage): void {
    this.#lanes.add(message);
    this.#startReady();
  }

  isRunning(matches: (message: QueuedMessage) => boolean): boolean {
    for (const message of this.#running) if (matches(message)) return true;
    return false;
  }

  /** Call after the result of mayStart() may have changed. */
  wake(): void {
    this.#startReady();
  }

  /** Drops messages that will be redelivered, here or in another process. A running one ends and is not retried here. */
  forget(lost: (message: QueuedMessage) => boolean): void {
    for (const message of this.#running) if (lost(message)) this.#lost.add(message);
    for (const [lane, timer] of this.#holds) {
      const head = lane.waiting.first;
      if (head === undefined || !lost(head)) continue;
      timer.cancel();
      this.#holds.delete(lane);
      this.#finish(lane, head);
    }
    this.#lanes.forget(lost);
    this.#startReady();
  }

  async #detach(worker: Worker<T>): Promise<void> {
    this.#workers.delete(worker);
    if (worker.running > 0) await new Promise<void>((resolve) => (worker.closing = resolve));
  }

  #startReady(): void {
    for (const worker of this.#workers) {
      while (worker.running < worker.concurrency) {
        const lane = this.#lanes.take((head) => this.#deps.mayStart(head));
        if (lane === undefined) return;
        void this.#runHead(lane, worker);
      }
    }
  }

  async #runHead(lane: Lane, worker: Worker<T>): Promise<void> {
    const message = lane.waiting.first as QueuedMessage;
    worker.running++;
    this.#running.add(message);
    const pause = await this.#attempts.run(message, worker);
    worker.running--;
    this.#running.delete(message);
    if (pause === undefined || this.#lost.has(message)) this.#finish(lane, message);
    else this.#hold(lane, pause);
    if (worker.running === 0) worker.closing?.();
    this.#deps.settled(message);
    this.#startReady();
  }

  #finish(lane: Lane, message: QueuedMessage): void {
    this.#attempts.forget(message);
    lane.waiting.shift();
    this.#lanes.release(lane);
  }

  #hold(lane: Lane, pause: Pause): void {
    const { clock } = this.#deps;
    const resume = () => {
      this.#holds.delete(lane);
      this.#lanes.release(lane);
      this.#startReady();
    };
    this.#holds.set(lane, typeof pause === "number" ? clock.after(pause, resume) : onceWoken(clock, pause, resume));
  }
}

/** Calls back once when the wait is over, never synchronously. */
const onceWoken = (clock: Clock, { wokenBy, atMostMs }: Wait, callback: () => void): Timer => {
  let isOver = false;
  const cancel = () => {
    isOver = true;
    timer.cancel();
    cancelWake();
  };
  const wake = () => {
    if (isOver) return;
    cancel();
    callback();
  };
  const timer = clock.after(atMostMs, wake);
  const cancelWake = wokenBy(() => queueMicrotask(wake));
  return { cancel };
};
