import type { Conversation } from "../../../core/contract/conversation.ts";
import type { Logger } from "../../../core/contract/logger.ts";
import type { UserSignal } from "../../../core/contract/signals.ts";
import type { LogParts, LookBack } from "../history/conversation-log.ts";
import { ConversationLog } from "../history/conversation-log.ts";
import type { LogEntry } from "../history/log-entry.ts";
import { ConversationRoom } from "./conversation-room.ts";

export interface RoomParts extends LogParts {
  readonly logger: Logger;
  signal(signal: UserSignal): void;
}

/** The conversations that have a socket here, and of those that have none the logs that were used last. */
export class OpenRooms {
  readonly #parts: RoomParts;
  readonly #rooms = new Map<string, ConversationRoom>();
  readonly #logs = new Map<string, ConversationLog>();
  /** Rooms still to be looked at in this round, so that the reads spread over the whole interval. */
  #round: Iterator<ConversationRoom> = [][Symbol.iterator]();

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  conversation(visitor: string): Conversation {
    return { channel: this.#parts.channel, room: visitor, kind: "private" };
  }

  find(visitor: string): ConversationRoom | undefined {
    return this.#rooms.get(visitor);
  }

  log(visitor: string): ConversationLog {
    const open = this.#rooms.get(visitor)?.log;
    if (open) return open;
    const log = this.#logs.get(visitor) ?? new ConversationLog(visitor, this.#parts);
    this.#keep(log);
    return log;
  }

  /** The visitor's room; `head` is what was read of its log just now. */
  open(visitor: string, head: number): ConversationRoom {
    const there = this.#rooms.get(visitor);
    if (there) {
      if (head > there.head) void there.look(head);
      return there;
    }
    const room = new ConversationRoom(this.log(visitor), head, this.#parts.logger);
    this.#rooms.set(visitor, room);
    this.#logs.delete(visitor);
    return room;
  }

  closeIfEmpty(visitor: string): void {
    const room = this.#rooms.get(visitor);
    if (room?.size !== 0) return;
    this.#rooms.delete(visitor);
    this.#keep(room.log);
  }

  /** Appends, shows it here, and tells the other gateways to look. `stored` is called just before it is shown. */
  async append(visitor: string, entry: LogEntry, lookBack: LookBack, stored?: () => void): Promise<number> {
    const seq = await this.log(visitor).append(entry, lookBack);
    stored?.();
    this.#rooms.get(visitor)?.appended(seq, entry);
    this.#parts.signal({ type: "logged", conversation: this.conversation(visitor), seq });
    return seq;
  }

  #keep(log: ConversationLog): void {
    this.#logs.delete(log.visitor);
    this.#logs.set(log.visitor, log);
    if (this.#logs.size > KEPT_LOGS) this.#logs.delete(this.#logs.keys().next().value as string);
  }

  /** All rooms, now: signals may have been lost. */
  async lookAtAll(): Promise<void> {
    const rooms = [...this.#rooms.values()];
    while (rooms.length > 0) await Promise.all(rooms.splice(0, LOOK_AT_ONCE).map((room) => room.look()));
  }

  /** Called once a second: a share of the rooms, so that each is looked at every LOOK_EVERY_S seconds. */
  async lookAtShare(): Promise<void> {
    const share = Math.ceil(this.#rooms.size / LOOK_EVERY_S);
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
        due.splice(0, LOOK_AT_ONCE).map((room) => {
          room.forgetRecent();
          return room.look();
        }),
      );
    }
  }
}

const LOOK_EVERY_S = 15;
const LOOK_AT_ONCE = 64;
const KEPT_LOGS = 2_000;
