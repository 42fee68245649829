import type { Account, QuotedMessage } from "../../../core/contract/messages/user-message.ts";
import { findQuoted } from "../history/find-quoted.ts";
import { type RoomAddress, roomNamed, sameRoom } from "../history/room-address.ts";
import { loggedMessageOf, textOf, userMessageOf } from "../inbound.ts";
import type { Command, ErrorCode, Message } from "../protocol.ts";
import type { DialogueDeps } from "./dialogue-deps.ts";
import type { OpenRooms } from "./open-rooms.ts";

export interface Speaker {
  readonly account: Account;
  /** The conversation that the socket follows. */
  readonly own: RoomAddress | undefined;
  /** The `seq` after which an earlier attempt can be in the log. */
  readonly searchFrom: number;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Publishes the message, then appends it to the log. Returns undefined if the message may be acknowledged. A client
 * retries until it sees `accepted` or `said`. An earlier attempt, on any gateway, is therefore in the log after the `seq`
 * from which the client resumed, or shortly before it if only the acknowledgement was lost. The append searches that part
 * (up to RECENT_ENTRIES back) for a duplicate. Older duplicates violate the protocol; core deduplicates them by id.
 */
export const acceptMessage = async (
  frame: Message | Command,
  { account, own, searchFrom }: Speaker,
  { context, files, inbox, rooms, conversations }: DialogueDeps,
  stored: () => void,
): Promise<Refusal | undefined> => {
  const once = `said:${frame.id}`;
  const room = frame.conversation === undefined && own ? own : roomNamed(account.id, frame.conversation);
  if (rooms.log(room).knows(once)) return undefined;
  if (!(await conversations.has(room))) return { code: "conversation-unknown", message: UNKNOWN_CONVERSATION };
  const attached = attachedTo(frame);
  const found = attached.length === 0 ? [] : await files.find(account.id, attached);
  const missing = attached.find((_, index) => found[index] === undefined);
  if (missing !== undefined) {
    return { code: "attachment-unknown", message: `${missing}: you have no such file, or it has expired` };
  }
  const uploaded = found.filter((file) => file !== undefined);
  if (uploaded.some(({ isAttached }) => !isAttached)) await files.attach(account.id, attached);
  const now = context.clock.now();
  const { channel, tenant, agent } = context;
  const quoted = await quotedBy(frame, room, rooms);
  const { thread } = room;
  const arrival = { channel, tenant, agent, account, thread, now, traceId: context.newId(), files: uploaded, quoted };
  if ((await inbox.accept(userMessageOf(frame, arrival))) === "ignored") return undefined;
  const entry = { once, at: now, frame: loggedMessageOf(frame, now, uploaded) };
  // The `seq` from which the client resumed is one of its own conversation.
  const isOwn = own !== undefined && sameRoom(room, own);
  const seq = await rooms.append(room, entry, { afterSeq: isOwn ? searchFrom : 0 }, stored);
  await conversations.noteMessage(room, { seq, at: now, said: textOf(frame) });
  return undefined;
};

export const UNKNOWN_CONVERSATION = "you have no such conversation, or it was deleted; use another one";

/** A message without the quote is better than none, so a failed read is not an error. */
const quotedBy = async (
  frame: Message | Command,
  room: RoomAddress,
  rooms: OpenRooms,
): Promise<QuotedMessage | undefined> => {
  if (frame.type !== "message" || frame.replyTo === undefined) return undefined;
  const log = rooms.log(room);
  try {
    return await findQuoted(log, rooms.find(room)?.head ?? (await log.head()), frame.replyTo);
  } catch {
    return undefined;
  }
};

const attachedTo = (frame: Message | Command): string[] =>
  frame.type === "message" ? (frame.attachments ?? []).map(({ id }) => id) : [];
