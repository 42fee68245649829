import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { ClientSocket, CorkedStream } from "../../contract/abilities.ts";
import type { CloseCode } from "../protocol-constants.ts";
import { closeCodes } from "../protocol-constants.ts";

/** The source of a connection: a conversation's log, as far as this process knows it. */
export interface Followed {
  readonly head: number;
  /** Cached for new entries only. */
  recentFrame(seq: number): Buffer | undefined;
  /** A page of entries after `cursor`; expired entries become one gap frame. Undefined: the store failed. */
  readFrames(cursor: number): Promise<{ seq: number; frame: Buffer }[] | undefined>;
  add(connection: Connection): void;
  remove(connection: Connection): void;
}

/**
 * The sending half of one socket. It pulls from the conversation's log at its own pace: the log is the queue, and a
 * socket that does not read costs no more than its small buffer.
 */
export class Connection {
  readonly #socket: ClientSocket;
  readonly #stream: CorkedStream | undefined;
  #room: Followed | undefined;
  #cursor = 0;
  #isFetching = false;
  #isClosed = false;
  #stalledSince: number | undefined;
  #drainWaiters: (() => void)[] | undefined;
  #pingDueAt: number;
  #awaitsPong = false;
  /** Created on first use, because most open sockets are idle. */
  #sentCallback: ((error?: Error) => void) | undefined;
  readonly #clock: Clock;

  constructor(socket: ClientSocket, clock: Clock, stream?: CorkedStream) {
    this.#socket = socket;
    this.#stream = stream;
    this.#clock = clock;
    this.#pingDueAt = Math.ceil(clock.monotonic()) + PING_INTERVAL_MS;
  }

  get open(): boolean {
    return !this.#isClosed;
  }

  /** Follows the room: first the log's entries after `cursor`, then new ones. */
  follow(room: Followed, cursor: number): void {
    this.#room = room;
    this.#cursor = cursor;
    room.add(this);
    this.pump();
  }

  /** Sends a frame that must not be lost. The caller awaits `drained` before it sends more. */
  send(frame: Buffer): void {
    if (this.#isClosed) return;
    // A small frame on an empty socket needs no callback: it cannot cause backpressure.
    if (this.#socket.bufferedAmount === 0 && frame.length < MAX_BUFFERED_BYTES / 2) this.#socket.send(frame, TEXT);
    else {
      this.#sentCallback ??= (error) => this.#onSent(error);
      this.#socket.send(frame, TEXT, this.#sentCallback);
    }
  }

  /** Until `uncork`, in the same pass of the event loop, all frames become one write. */
  cork(): void {
    this.#stream?.cork();
  }

  uncork(): void {
    this.#stream?.uncork();
  }

  /** Sends an ephemeral frame; drops it under backpressure. */
  offer(frame: Buffer): void {
    if (!this.#isBackedUp()) this.send(frame);
  }

  drained(): Promise<void> {
    if (this.#isClosed || !this.#isBackedUp()) return Promise.resolve();
    this.#stalledSince ??= this.#clock.monotonic();
    return new Promise((resolve) => {
      this.#drainWaiters ??= [];
      this.#drainWaiters.push(resolve);
    });
  }

  /** Sends the log's entries after the cursor until the socket is backed up. */
  pump(): void {
    const room = this.#room;
    if (room === undefined || this.#isFetching) return;
    while (!this.#isClosed && this.#cursor < room.head) {
      if (this.#isBackedUp()) {
        this.#stalledSince ??= this.#clock.monotonic();
        return;
      }
      const frame = room.recentFrame(this.#cursor + 1);
      if (frame === undefined) {
        this.#isFetching = true;
        void this.#fetch(room);
        return;
      }
      this.#cursor++;
      this.send(frame);
    }
  }

  /** Reads entries that are older than the room's cache. */
  async #fetch(room: Followed): Promise<void> {
    const page = await room.readFrames(this.#cursor);
    this.#isFetching = false;
    // The next catch-up of the room retries a failed read.
    if (page === undefined) return;
    for (const { seq, frame } of page) {
      if (this.#isClosed || this.#isBackedUp()) break;
      this.#cursor = seq;
      this.send(frame);
    }
    this.pump();
  }

  #onSent(error?: Error): void {
    if (error || this.#stalledSince === undefined) return;
    this.#stalledSince = this.#clock.monotonic();
    if (this.#isBackedUp()) return;
    this.#stalledSince = undefined;
    this.#resolveDrained();
    this.pump();
  }

  /** The client answered a ping. */
  onPong(): void {
    this.#awaitsPong = false;
  }

  /** Called about once a second. */
  check(now: number): void {
    if (this.#isClosed) return;
    if (this.#stalledSince !== undefined && now - this.#stalledSince > MAX_STALLED_MS) {
      this.close(closeCodes.tryLater, "the client reads too slowly: reconnect and resume");
      // The close frame would wait behind the unread data.
      this.#socket.terminate();
      return;
    }
    if (now < this.#pingDueAt) return;
    if (this.#awaitsPong) {
      this.#socket.terminate();
      return;
    }
    this.#pingDueAt = Math.ceil(now) + PING_INTERVAL_MS;
    this.#awaitsPong = true;
    this.#socket.ping();
  }

  close(code: CloseCode, reason: string): void {
    if (this.#isClosed) return;
    this.onClosed();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** The socket is closed, or about to close: nothing more is sent. */
  onClosed(): void {
    this.#isClosed = true;
    const room = this.#room;
    this.#room = undefined;
    room?.remove(this);
    this.#resolveDrained();
  }

  #isBackedUp(): boolean {
    return this.#socket.bufferedAmount > MAX_BUFFERED_BYTES;
  }

  #resolveDrained(): void {
    const waiting = this.#drainWaiters;
    this.#drainWaiters = undefined;
    for (const resolve of waiting ?? []) resolve();
  }
}

const TEXT = { binary: false };
const MAX_BUFFERED_BYTES = 64 * 1024;
const MAX_STALLED_MS = 30_000;
const PING_INTERVAL_MS = 25_000;
