import { setImmediate as nextLoopPass } from "node:timers/promises";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { ConversationLog } from "../history/conversation-log.ts";
import type { LogEntry } from "../history/log-entry.ts";
import type { Connection, Followed } from "./connection.ts";
import { encodeEntry, encodeFrame } from "./frame-codec.ts";

/** State of the visitor's rate limit, over all sockets and conversations. */
export interface VisitorRate {
  messagesFullAt: number;
}

/** A conversation with at least one socket in this process: its log, and the sockets that follow it. */
export class ConversationRoom implements Followed {
  readonly log: ConversationLog;
  readonly rate: VisitorRate;
  readonly #logger: Logger;
  readonly #connections = new Followers();
  /** The newest entries, each encoded once for all sockets. Created on first use, because most rooms are idle. */
  #recent: Map<number, Buffer> | undefined;
  #head: number;
  #announced = 0;
  #catchingUp: Promise<void> | undefined;
  #isPumpingSlices = false;
  #pumpSlicesAgain = false;

  constructor(log: ConversationLog, head: number, logger: Logger, rate: VisitorRate = { messagesFullAt: 0 }) {
    this.rate = rate;
    this.log = log;
    this.#head = head;
    this.#logger = logger;
  }

  /** The last entry that this process knows. */
  get head(): number {
    return this.#head;
  }

  get size(): number {
    return this.#connections.size;
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  remove(connection: Connection): void {
    this.#connections.remove(connection);
  }

  /** This process has appended the entry, or found it in the log. */
  appended(seq: number, entry: LogEntry): void {
    if (seq === this.head + 1) this.#addEntry(seq, entry);
    else if (seq > this.head) void this.catchUp(seq);
  }

  /** Reads and sends entries that other gateways have appended. `announced`: the `seq` of a signal. */
  catchUp(announced?: number): Promise<void> {
    if (announced !== undefined && announced <= this.head) return Promise.resolve();
    this.#announced = Math.max(this.#announced, announced ?? 0);
    this.#catchingUp ??= this.#readNewEntries(announced).finally(() => {
      this.#catchingUp = undefined;
      if (this.#announced > this.head && this.#announced > (announced ?? 0)) void this.catchUp(this.#announced);
    });
    return this.#catchingUp;
  }

  async #readNewEntries(announced: number | undefined): Promise<void> {
    try {
      const head = await this.log.advance(announced, (seq, entry) => {
        if (seq === this.head + 1) this.#addEntry(seq, entry);
      });
      if (head > this.head) this.#moveHead(head);
      else this.pump();
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "could not read conversation log, retrying");
    }
  }

  recentFrame(seq: number): Buffer | undefined {
    return this.#recent?.get(seq);
  }

  dropRecentFrames(): void {
    this.#recent = undefined;
  }

  async readFrames(cursor: number): Promise<{ seq: number; frame: Buffer }[] | undefined> {
    try {
      const count = Math.min(PAGE_SIZE, this.head - cursor);
      const entries = await Promise.all(Array.from({ length: count }, (_, index) => this.log.read(cursor + 1 + index)));
      const page: { seq: number; frame: Buffer }[] = [];
      for (const [index, entry] of entries.entries()) {
        if (entry === undefined) break;
        page.push({ seq: cursor + 1 + index, frame: encodeEntry(cursor + 1 + index, entry) });
      }
      return page.length > 0 || count === 0 ? page : [await this.#gapAfter(cursor)];
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "could not read conversation log, retrying");
      return undefined;
    }
  }

  /** Entries expire in order, so a binary search finds the first that is left. */
  async #gapAfter(cursor: number): Promise<{ seq: number; frame: Buffer }> {
    let expired = cursor + 1;
    let left = this.head + 1;
    while (left - expired > 1) {
      const middle = Math.floor((expired + left) / 2);
      if ((await this.log.read(middle)) === undefined) expired = middle;
      else left = middle;
    }
    return { seq: left - 1, frame: encodeFrame({ type: "gap", from: left }) };
  }

  /** Sends an ephemeral frame to every socket without backpressure. */
  offer(frame: Buffer): void {
    for (const connection of this.#connections) connection.offer(frame);
  }

  #addEntry(seq: number, entry: LogEntry): void {
    if (this.#connections.size > 0) {
      const frame = encodeEntry(seq, entry);
      if (frame.length > LARGE_FRAME_BYTES) this.#recent = undefined;
      this.#recent ??= new Map();
      this.#recent.set(seq, frame);
      this.#recent.delete(seq - MAX_RECENT_FRAMES);
    }
    this.#moveHead(seq);
  }

  #moveHead(head: number): void {
    this.#head = head;
    this.pump();
  }

  pump(): void {
    if (this.#connections.size <= SLICE_SIZE) for (const connection of this.#connections) connection.pump();
    else void this.#pumpInSlices();
  }

  /** With very many sockets, yields to the event loop after each slice. */
  async #pumpInSlices(): Promise<void> {
    this.#pumpSlicesAgain = true;
    if (this.#isPumpingSlices) return;
    this.#isPumpingSlices = true;
    while (this.#pumpSlicesAgain) {
      this.#pumpSlicesAgain = false;
      let count = 0;
      for (const connection of this.#connections) {
        connection.pump();
        if (++count % SLICE_SIZE === 0) await nextLoopPass();
      }
    }
    this.#isPumpingSlices = false;
  }
}

const PAGE_SIZE = 8;
const SLICE_SIZE = 500;
const MAX_RECENT_FRAMES = 16;
const LARGE_FRAME_BYTES = 64 * 1024;

/** The sockets of a room. Nearly always one, for which a Set would need more memory than the rest of the room. */
class Followers {
  #only: Connection | undefined;
  #many: Set<Connection> | undefined;

  get size(): number {
    return this.#many?.size ?? (this.#only === undefined ? 0 : 1);
  }

  add(connection: Connection): void {
    if (this.#many) this.#many.add(connection);
    else if (this.#only === undefined) this.#only = connection;
    else {
      this.#many = new Set([this.#only, connection]);
      this.#only = undefined;
    }
  }

  remove(connection: Connection): void {
    this.#many?.delete(connection);
    if (this.#only === connection) this.#only = undefined;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return (this.#many ?? (this.#only === undefined ? [] : [this.#only]))[Symbol.iterator]();
  }
}
