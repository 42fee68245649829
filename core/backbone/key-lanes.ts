/** A message that waits or runs in this process. */
export interface QueuedMessage {
  /** Sequence number in the stream; messages are queued in this order. */
  readonly seq: number;
  readonly partition: number;
  /** Undefined: not ordered with any other message. */
  readonly key: string | undefined;
  readonly id: string;
  readonly publishedAt: number;
  /** The message may have run before in a process that crashed, so its runs are counted before they start. */
  readonly suspect: boolean;
  /** DATA_FORMAT of the version that published it; absent if it is not known. */
  readonly format?: number;
  /** The stored JSON. Called right before the run, so that a long queue need not be in memory. */
  read(): string | Promise<string>;
}

/** The messages of one key, in order. Only the head may run; a head that waits for its retry blocks the lane. */
export interface Lane {
  /** A message without a key has a lane of its own. */
  readonly of: string | QueuedMessage;
  readonly waiting: Fifo<QueuedMessage>;
  state: "ready" | "busy";
}

/** Queued messages by key. Ready keys run in the order in which they became ready. */
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

  /** Number of messages, running heads included. */
  get length(): number {
    let length = 0;
    for (const { waiting } of this.#lanes.values()) length += waiting.length;
    return length;
  }

  /** Returns the next lane that may run; it is busy until released. */
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

  /** Call when the head has ended or was dropped: the next message of its key may run. */
  release(lane: Lane): void {
    if (lane.waiting.length === 0) {
      this.#lanes.delete(lane.of);
      return;
    }
    lane.state = "ready";
    this.#ready.add(lane);
  }

  /** Drops waiting messages. A running head stays until its run ends. */
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

/** A queue whose shift() is O(1); Array.shift() moves all items of a long array. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.first;
    if (this.length === 0) return undefined;
    this.#items[this.#taken++] = undefined as T;
    if (this.#taken > COMPACT_FROM && this.#taken * 2 > this.#items.length) this.keep(() => true);
    return item;
  }

  /** Keeps the items for which the condition holds; the index counts from the first waiting item. */
  keep(isKept: (item: T, index: number) => boolean): void {
    this.#items = this.#items.slice(this.#taken).filter(isKept);
    this.#taken = 0;
  }
}

const COMPACT_FROM = 64;
