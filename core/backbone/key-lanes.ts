import { Fifo } from "./fifo.ts";
import type { QueuedMessage } from "./queued-message.ts";

/** The messages of one key, in order. Only the head may run; a held head holds the lane. */
export interface Lane {
  /** A message without a key has a lane of its own. */
  readonly of: string | QueuedMessage;
  readonly waiting: Fifo<QueuedMessage>;
  state: "ready" | "busy";
}

/** Messages by key, and which keys could run now: the oldest ready key first. */
export class KeyLanes {
  readonly #lanes = new Map<string | QueuedMessage, Lane>();
  readonly #ready = new Set<Lane>();

  add(message: QueuedMessage): void {
    const of = message.key ?? message;
    const lane = this.#lanes.get(of);
    if (lane) {
      lane.waiting.push(message);
      return;
    }
    const opened: Lane = { of, waiting: new Fifo(), state: "ready" };
    opened.waiting.push(message);
    this.#lanes.set(of, opened);
    this.#ready.add(opened);
  }

  /** All messages, the running heads included. */
  get length(): number {
    let length = 0;
    for (const { waiting } of this.#lanes.values()) length += waiting.length;
    return length;
  }

  /** The next lane that may run; it is busy until released. */
  take(mayRun: (head: QueuedMessage) => boolean): Lane | undefined {
    for (const lane of this.#ready) {
      const head = lane.waiting.first;
      if (head === undefined || !mayRun(head)) continue;
      this.#ready.delete(lane);
      lane.state = "busy";
      return lane;
    }
    return undefined;
  }

  /** The head has ended (or was forgotten): the next of its key may run. */
  release(lane: Lane): void {
    if (lane.waiting.length === 0) {
      this.#lanes.delete(lane.of);
      return;
    }
    lane.state = "ready";
    this.#ready.add(lane);
  }

  /** Forgets waiting messages; a head that runs is left to its run. */
  forget(lost: (message: QueuedMessage) => boolean): void {
    for (const lane of [...this.#lanes.values()]) {
      lane.waiting.keep((message, index) => (index === 0 && lane.state === "busy") || !lost(message));
      if (lane.waiting.length === 0) {
        this.#ready.delete(lane);
        this.#lanes.delete(lane.of);
      }
    }
  }
}
