import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import type { Conversation } from "../../../core/contract/messages/conversation.ts";
import type { UserSignal } from "../../../core/contract/messages/signals.ts";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import type { ConversationLogDeps, LookBack } from "../history/conversation-log.ts";
import { ConversationLog } from "../history/conversation-log.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { ConversationRoom } from "./conversation-room.ts";

export interface OpenRoomsDeps extends ConversationLogDeps {
  readonly logger: Logger;
  signal(signal: UserSignal): void;
}

/** The conversations with a socket in this process, and a cache of logs without one. */
export class OpenRooms {
  readonly #deps: OpenRoomsDeps;
  readonly #rooms = new Map<string, ConversationRoom>();
  readonly #logs = new BoundedCache<string, ConversationLog>(MAX_CACHED_LOGS);
  /** Rooms that have not yet caught up in this round; spreads the reads over the interval. */
  #round: Iterator<ConversationRoom> = [][Symbol.iterator]();

  constructor(deps: OpenRoomsDeps) {
    this.#deps = deps;
  }

  conversation(visitor: string): Conversation {
    return { channel: this.#deps.channel, room: visitor, kind: "private" };
  }

  find(visitor: string): ConversationRoom | undefined {
    return this.#rooms.get(visitor);
  }

  log(visitor: string): ConversationLog {
    const open = this.#rooms.get(visitor)?.log;
    if (open) return open;
    const log = this.#logs.get(visitor) ?? new ConversationLog(visitor, this.#deps);
    this.#logs.set(visitor, log);
    return log;
  }

  /** The visitor's room; `head` is the log's end as just read. */
  open(visitor: string, head: number): ConversationRoom {
    const existing = this.#rooms.get(visitor);
    if (existing) {
      if (head > existing.head) void existing.catchUp(head);
      return existing;
    }
    const room = new ConversationRoom(this.log(visitor), head, this.#deps.logger);
    this.#rooms.set(visitor, room);
    this.#logs.delete(visitor);
    return room;
  }

  closeIfEmpty(visitor: string): void {
    const room = this.#rooms.get(visitor);
    if (room?.size !== 0) return;
    this.#rooms.delete(visitor);
    this.#logs.set(visitor, room.log);
  }

  /** Appends, shows the entry here, and signals the other gateways. Calls `stored` just before it is shown. */
  async append(visitor: string, entry: LogEntry, lookBack: LookBack, stored?: () => void): Promise<number> {
    const seq = await this.log(visitor).append(entry, lookBack);
    stored?.();
    this.#rooms.get(visitor)?.appended(seq, entry);
    this.#deps.signal({ type: "logged", conversation: this.conversation(visitor), seq });
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
