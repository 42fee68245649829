import type { Clock } from "../../../core/contract/clock.ts";
import type { ClientSocket, CorkedStream } from "../../contract/abilities.ts";
import type { CloseCode } from "../protocol-constants.ts";
import { closeCodes } from "../protocol-constants.ts";

/** What a connection pulls from: a conversation's log, as far as it is known here. */
export interface Followed {
  readonly head: number;
  /** At hand only if it is new. */
  recentFrame(seq: number): Buffer | undefined;
  /** The entries after `cursor`, a few at a time; what has expired is one gap frame. Undefined: the store failed. */
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
  #fetching = false;
  #closed = false;
  #stalledSince: number | undefined;
  #drained: (() => void)[] | undefined;
  #pingDueAt: number;
  #awaitsPong = false;
  /** Made when it is needed: most sockets that are open are idle. */
  #sent: ((error?: Error) => void) | undefined;
  readonly #clock: Clock;

  constructor(socket: ClientSocket, clock: Clock, stream?: CorkedStream) {
    this.#socket = socket;
    this.#stream = stream;
    this.#clock = clock;
    this.#pingDueAt = Math.ceil(clock.monotonic()) + PING_EVERY_MS;
  }

  get open(): boolean {
    return !this.#closed;
  }

  /** Follows the room from here on: first what the log has after `cursor`, then what comes. */
  follow(room: Followed, cursor: number): void {
    this.#room = room;
    this.#cursor = cursor;
    room.add(this);
    this.pump();
  }

  /** For answers that must not be lost; whoever asks again waits for `drained` first. */
  say(frame: Buffer): void {
    if (this.#closed) return;
    // What cannot fill an empty socket need not be told when it has left.
    if (this.#socket.bufferedAmount === 0 && frame.length < FULL_BYTES / 2) this.#socket.send(frame, TEXT);
    else {
      this.#sent ??= (error) => this.#left(error);
      this.#socket.send(frame, TEXT, this.#sent);
    }
  }

  /** From here to `letGo`, in the same pass of the event loop, what is said is one write. */
  hold(): void {
    this.#stream?.cork();
  }

  letGo(): void {
    this.#stream?.uncork();
  }

  /** For what only makes a screen livelier: dropped when the socket is behind. */
  offer(frame: Buffer): void {
    if (!this.#isFull()) this.say(frame);
  }

  drained(): Promise<void> {
    if (this.#closed || !this.#isFull()) return Promise.resolve();
    this.#stalledSince ??= this.#clock.monotonic();
    return new Promise((resolve) => {
      this.#drained ??= [];
      this.#drained.push(resolve);
    });
  }

  /** Sends what the log has after the cursor, as long as the socket takes it. */
  pump(): void {
    const room = this.#room;
    if (room === undefined || this.#fetching) return;
    while (!this.#closed && this.#cursor < room.head) {
      if (this.#isFull()) {
        this.#stalledSince ??= this.#clock.monotonic();
        return;
      }
      const frame = room.recentFrame(this.#cursor + 1);
      if (frame === undefined) {
        this.#fetching = true;
        void this.#fetch(room);
        return;
      }
      this.#cursor++;
      this.say(frame);
    }
  }

  /** Older entries than the room keeps at hand. */
  async #fetch(room: Followed): Promise<void> {
    const page = await room.readFrames(this.#cursor);
    this.#fetching = false;
    // A failed read is tried again when the room is looked at next.
    if (page === undefined) return;
    for (const { seq, frame } of page) {
      if (this.#closed || this.#isFull()) break;
      this.#cursor = seq;
      this.say(frame);
    }
    this.pump();
  }

  #left(error?: Error): void {
    if (error || this.#stalledSince === undefined) return;
    this.#stalledSince = this.#clock.monotonic();
    if (this.#isFull()) return;
    this.#stalledSince = undefined;
    this.#release();
    this.pump();
  }

  /** The client has answered a ping. */
  ponged(): void {
    this.#awaitsPong = false;
  }

  /** Called about once a second. */
  check(now: number): void {
    if (this.#closed) return;
    if (this.#stalledSince !== undefined && now - this.#stalledSince > STALLED_MS) {
      this.close(closeCodes.tryLater, "reads too slowly: come back and resume");
      // The close frame waits behind what is not read.
      this.#socket.terminate();
      return;
    }
    if (now < this.#pingDueAt) return;
    if (this.#awaitsPong) {
      this.#socket.terminate();
      return;
    }
    this.#pingDueAt = Math.ceil(now) + PING_EVERY_MS;
    this.#awaitsPong = true;
    this.#socket.ping();
  }

  close(code: CloseCode, reason: string): void {
    if (this.#closed) return;
    this.ended();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Nothing more is sent. */
  ended(): void {
    this.#closed = true;
    const room = this.#room;
    this.#room = undefined;
    room?.remove(this);
    this.#release();
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > FULL_BYTES;
  }

  #release(): void {
    const waiting = this.#drained;
    this.#drained = undefined;
    for (const resolve of waiting ?? []) resolve();
  }
}

const TEXT = { binary: false };
const FULL_BYTES = 64 * 1024;
const STALLED_MS = 30_000;
const PING_EVERY_MS = 25_000;
