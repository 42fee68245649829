import { setImmediate as nextPass } from "node:timers/promises";
import { messageOf } from "../../../core/contract/app-error.ts";
import type { Logger } from "../../../core/contract/logger.ts";
import type { ConversationLog } from "../history/conversation-log.ts";
import type { LogEntry } from "../history/log-entry.ts";
import type { Connection, Followed } from "./connection.ts";
import { encodeEntry, encodeFrame } from "./frame-codec.ts";

/** A conversation that somebody has open here: its log, and the sockets that follow it. */
export class ConversationRoom implements Followed {
  readonly log: ConversationLog;
  /** How fast the visitor may write, over all sockets, is limited by this. */
  messagesWholeAt = 0;
  readonly #logger: Logger;
  readonly #connections = new Followers();
  /** The newest entries, each encoded once for all sockets. Made when it is needed: most rooms are idle. */
  #recent: Map<number, Buffer> | undefined;
  #head: number;
  #announced = 0;
  #looking: Promise<void> | undefined;
  #spreading = false;
  #spreadAgain = false;

  constructor(log: ConversationLog, head: number, logger: Logger) {
    this.log = log;
    this.#head = head;
    this.#logger = logger;
  }

  /** The last entry this gateway knows of. */
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

  /** This gateway has appended the entry (or found it there). */
  appended(seq: number, entry: LogEntry): void {
    if (seq === this.head + 1) this.#grow(seq, entry);
    else if (seq > this.head) void this.look(seq);
  }

  /** Sends what others have appended. `announced`: a signal said there is this much. */
  look(announced?: number): Promise<void> {
    if (announced !== undefined && announced <= this.head) return Promise.resolve();
    this.#announced = Math.max(this.#announced, announced ?? 0);
    this.#looking ??= this.#lookNow(announced).finally(() => {
      this.#looking = undefined;
      if (this.#announced > this.head && this.#announced > (announced ?? 0)) void this.look(this.#announced);
    });
    return this.#looking;
  }

  async #lookNow(announced: number | undefined): Promise<void> {
    try {
      const head = await this.log.advance(announced, (seq, entry) => {
        if (seq === this.head + 1) this.#grow(seq, entry);
      });
      if (head > this.head) this.#moveTo(head);
      else this.pump();
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "a conversation's log could not be read; tried again soon");
    }
  }

  recentFrame(seq: number): Buffer | undefined {
    return this.#recent?.get(seq);
  }

  forgetRecent(): void {
    this.#recent = undefined;
  }

  async readFrames(cursor: number): Promise<{ seq: number; frame: Buffer }[] | undefined> {
    try {
      const count = Math.min(PAGE, this.head - cursor);
      const entries = await Promise.all(Array.from({ length: count }, (_, index) => this.log.read(cursor + 1 + index)));
      const page: { seq: number; frame: Buffer }[] = [];
      for (const [index, entry] of entries.entries()) {
        if (entry === undefined) break;
        page.push({ seq: cursor + 1 + index, frame: encodeEntry(cursor + 1 + index, entry) });
      }
      return page.length > 0 || count === 0 ? page : [await this.#gapAfter(cursor)];
    } catch (error) {
      this.#logger.warn({ error: messageOf(error) }, "a conversation's log could not be read; tried again soon");
      return undefined;
    }
  }

  /** Entries expire in the order they came, so the first that is left is found by halving. */
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

  /** To every socket that is not behind; not kept. */
  offer(frame: Buffer): void {
    for (const connection of this.#connections) connection.offer(frame);
  }

  #grow(seq: number, entry: LogEntry): void {
    if (this.#connections.size > 0) {
      const frame = encodeEntry(seq, entry);
      if (frame.length > LARGE_BYTES) this.#recent = undefined;
      this.#recent ??= new Map();
      this.#recent.set(seq, frame);
      this.#recent.delete(seq - RECENT_FRAMES);
    }
    this.#moveTo(seq);
  }

  #moveTo(head: number): void {
    this.#head = head;
    this.pump();
  }

  pump(): void {
    if (this.#connections.size <= SLICE) for (const connection of this.#connections) connection.pump();
    else void this.#spread();
  }

  /** Very many sockets: a slice at a time, so that others get their turn in between. */
  async #spread(): Promise<void> {
    this.#spreadAgain = true;
    if (this.#spreading) return;
    this.#spreading = true;
    while (this.#spreadAgain) {
      this.#spreadAgain = false;
      let count = 0;
      for (const connection of this.#connections) {
        connection.pump();
        if (++count % SLICE === 0) await nextPass();
      }
    }
    this.#spreading = false;
  }
}

const PAGE = 8;
const SLICE = 500;
const RECENT_FRAMES = 16;
const LARGE_BYTES = 64 * 1024;

/** The sockets of a room: nearly always one, for which a Set would be the largest thing the room has. */
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
