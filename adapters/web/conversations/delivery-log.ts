import { AppError, messageOf } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import type { Delivery, Receipt } from "../../contract/channel-adapter.ts";
import { DeliveryFailed } from "../../contract/delivery-failed.ts";
import type { ConversationList } from "../history/conversation-list.ts";
import { type RoomAddress, roomOf } from "../history/room-address.ts";
import { clientIdOf } from "../inbound.ts";
import type { LoggedFrame } from "../protocol.ts";
import type { LiveDrafts } from "../server/live-drafts.ts";
import type { OpenRooms } from "../server/open-rooms.ts";
import { DELETION_PREFIX } from "./delete-conversation.ts";

export interface DeliveryLogDeps {
  readonly channel: string;
  readonly clock: Clock;
  readonly rooms: OpenRooms;
  readonly drafts: LiveDrafts;
  readonly conversations: ConversationList;
}

/** Appends deliveries to the logs of their conversations. */
export class DeliveryLog {
  readonly #deps: DeliveryLogDeps;
  readonly #running = new Set<Promise<unknown>>();

  constructor(deps: DeliveryLogDeps) {
    this.#deps = deps;
  }

  async append(delivery: Delivery, frame: LoggedFrame, messageId: string): Promise<Receipt> {
    const { channel, drafts } = this.#deps;
    if (delivery.target.channel !== channel) {
      throw new DeliveryFailed("rejected", `"${channel}" cannot deliver to "${delivery.target.channel}"`);
    }
    const appended = this.#append(delivery, frame);
    this.#running.add(appended);
    try {
      await appended;
      drafts.ended(roomOf(delivery.target), frame);
      return { messageId };
    } catch (error) {
      throw failureOf(error);
    } finally {
      this.#running.delete(appended);
    }
  }

  /** Resolves once the running appends have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #append(delivery: Delivery, frame: LoggedFrame): Promise<void> {
    const { clock, rooms, conversations } = this.#deps;
    const room = await roomForDelivery(delivery, conversations);
    if (room === undefined) return;
    const entry = { once: `${frame.type}:${delivery.id}`, at: clock.now(), frame };
    const { createdAt, kind } = delivery.reply;
    // An earlier attempt is never older than the reply, apart from clock skew between machines.
    const since = Date.parse(createdAt) - MAX_CLOCK_SKEW_MS;
    const seq = await rooms.append(room, entry, { since, isFirst: !delivery.mayRepeat });
    if (kind === "final" || kind === "notice") await conversations.noteMessage(room, { seq, at: entry.at });
  }
}

/**
 * The conversation that shows a delivery. After the visitor has deleted its target, an anchored message, such as a
 * reminder or a digest, goes to the main conversation, because its anchor says where it comes from. Undefined: no conversation
 * shows it.
 */
const roomForDelivery = async (
  { target, anchor, sections, reply }: Delivery,
  conversations: ConversationList,
): Promise<RoomAddress | undefined> => {
  const room = roomOf(target);
  const answered = reply.correlationId && clientIdOf(reply.correlationId, target.channel, room.visitor);
  if (answered?.startsWith(DELETION_PREFIX)) return undefined;
  if (room.thread === undefined || (await conversations.has(room))) return room;
  return anchor === null && sections === undefined ? undefined : { visitor: room.visitor };
};

const failureOf = (error: unknown): DeliveryFailed =>
  error instanceof AppError && error.code === "too-large"
    ? new DeliveryFailed("rejected", messageOf(error), { cause: error })
    : new DeliveryFailed("unknown", `could not write the conversation log: ${messageOf(error)}`, { cause: error });

const MAX_CLOCK_SKEW_MS = 10 * 60_000;
