import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { ConversationLogDeps, LookBack } from "../history/conversation-log.ts";
import { ConversationLog } from "../history/conversation-log.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { type RoomAddress, roomName } from "../history/room-address.ts";
import { ConversationRoom } from "./conversation-room.ts";

export interface OpenRoomsDeps extends ConversationLogDeps {
  readonly logger: Logger;
  signal(signal: UserSignal): void;
}

/** The conversations with a socket in this process, and a cache of logs without one. */
export class OpenRooms {
  readonly #deps: OpenRoomsDeps;
  readonly #rooms = new Map<string, ConversationRoom>();
  /** The open conversations beside the main one; most visitors have none. */
  readonly #threads = new Map<string, Set<string>>();
  readonly #logs = new BoundedCache<string, ConversationLog>(MAX_CACHED_LOGS);
  /** Rooms that have not yet caught up in this round; spreads the reads over the interval. */
  #round: Iterator<ConversationRoom> = [][Symbol.iterator]();

  constructor(deps: OpenRoomsDeps) {
    this.#deps = deps;
  }

  conversation({ visitor, thread }: RoomAddress): Conversation {
    const { channel } = this.#deps;
    return { channel, room: visitor, ...(thread !== undefined && { thread }), kind: "private" };
  }

  find(address: RoomAddress): ConversationRoom | undefined {
    return this.#rooms.get(roomName(address));
  }

  log(address: RoomAddress): ConversationLog {
    const name = roomName(address);
    const open = this.#rooms.get(name)?.log;
    if (open) return open;
    const log = this.#logs.get(name) ?? new ConversationLog(address, this.#deps);
    this.#logs.set(name, log);
    return log;
  }

  /** `head` is the log's end as just read. */
  open(address: RoomAddress, head: number): ConversationRoom {
    const name = roomName(address);
    const existing = this.#rooms.get(name);
    if (existing) {
      if (head > existing.head) void existing.catchUp(head);
      return existing;
    }
    const [other] = this.#ofVisitor(address.visitor);
    const room = new ConversationRoom(this.log(address), head, this.#deps.logger, other?.rate);
    this.#rooms.set(name, room);
    this.#logs.delete(name);
    const { visitor, thread } = address;
    if (thread !== undefined) this.#threads.set(visitor, (this.#threads.get(visitor) ?? new Set()).add(thread));
    return room;
  }

  closeIfEmpty(address: RoomAddress): void {
    const name = roomName(address);
    const room = this.#rooms.get(name);
    if (room?.size !== 0) return;
    this.#rooms.delete(name);
    this.#logs.set(name, room.log);
    const threads = this.#threads.get(address.visitor);
    if (address.thread !== undefined) threads?.delete(address.thread);
    if (threads?.size === 0) this.#threads.delete(address.visitor);
  }

  /** The sockets of a visitor, over all their conversations. */
  socketsOf(visitor: string): number {
    return this.#ofVisitor(visitor).reduce((sum, { size }) => sum + size, 0);
  }

  /** Sends an ephemeral frame to the visitor's sockets in all conversations but this one. */
  offerElsewhere(address: RoomAddress, frame: () => Buffer): void {
    if (address.thread === undefined && !this.#threads.has(address.visitor)) return;
    const here = this.find(address);
    const others = this.#ofVisitor(address.visitor).filter((room) => room !== here);
    if (others.length === 0) return;
    const encoded = frame();
    for (const room of others) room.offer(encoded);
  }

  /** Sends an ephemeral frame to all sockets of a visitor. */
  offerAll(visitor: string, frame: Buffer): void {
    for (const room of this.#ofVisitor(visitor)) room.offer(frame);
  }

  #ofVisitor(visitor: string): ConversationRoom[] {
    const addresses: RoomAddress[] = [{ visitor }];
    for (const thread of this.#threads.get(visitor) ?? []) addresses.push({ visitor, thread });
    return addresses.flatMap((address) => this.find(address) ?? []);
  }

  /** Appends, shows the entry here, and signals the other gateways. Calls `stored` just before it is shown. */
  async append(address: RoomAddress, entry: LogEntry, lookBack: LookBack, stored?: () => void): Promise<number> {
    const seq = await this.log(address).append(entry, lookBack);
    stored?.();
    this.find(address)?.appended(seq, entry);
    this.#deps.signal({ type: "logged", conversation: this.conversation(address), seq });
    return seq;
  }

  /** Catches up all rooms at once, because signals may have been lost. */
  async catchUpAll(): Promise<void> {
    const rooms = [...this.#rooms.values()];
    while (rooms.length > 0) await Promise.all(rooms.splice(0, CATCH_UP_CONCURRENCY).map((room) => room.catchUp()));
  }

  /** Called once a second; each call takes a share, so that every room catches up each CATCH_UP_INTERVAL_S seconds. */
  async catchUpShare(): Promise<void> {
    const share = Math.ceil(this.#rooms.size / CATCH_UP_INTERVAL_S);
    const due: ConversationRoom[] = [];
    for (let count = 0; count < share; count++) {
      let next = this.#round.next();
      if (next.done) {
        this.#round = this.#rooms.values();
        next = this.#round.next();
      }
      if (next.done) break;
      due.push(next.value);
    }
    while (due.length > 0) {
      await Promise.all(
        due.splice(0, CATCH_UP_CONCURRENCY).map((room) => {
          room.dropRecentFrames();
          return room.catchUp();
        }),
      );
    }
  }
}

const CATCH_UP_INTERVAL_S = 15;
const CATCH_UP_CONCURRENCY = 64;
const MAX_CACHED_LOGS = 2_000;
