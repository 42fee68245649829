import type { Conversation } from "../../../core/contract/messages/conversation.ts";

/** One of a visitor's conversations: the main one, or one that they started beside it. */
export interface RoomAddress {
  readonly visitor: string;
  /** Absent: the main conversation, which every visitor has. */
  readonly thread?: string | undefined;
}

export const roomOf = ({ room, thread }: Pick<Conversation, "room" | "thread">): RoomAddress =>
  thread === undefined ? { visitor: room } : { visitor: room, thread };

/** A unique name. Visitor ids of host pages may contain any character, so the id is encoded. */
export const roomName = ({ visitor, thread }: RoomAddress): string =>
  thread === undefined ? encodeURIComponent(visitor) : `${encodeURIComponent(visitor)}/${thread}`;

export const sameRoom = (one: RoomAddress, other: RoomAddress): boolean =>
  one.visitor === other.visitor && one.thread === other.thread;

/** The name by which clients address the main conversation. */
export const MAIN = "main";

/** The conversation of a visitor that a client names; without a name, the main one. */
export const roomNamed = (visitor: string, conversation: string | undefined): RoomAddress =>
  conversation === undefined || conversation === MAIN ? { visitor } : { visitor, thread: conversation };

/** Contains its creation time: its log has no older entries. */
export const newThreadId = (now: number, unique: string): string => `c${now.toString(36)}-${unique}`;

/** The earliest time of an entry in the log of a conversation; 0 for an id of another form. */
export const threadCreatedAt = (thread: string): number => {
  const made = /^c([0-9a-z]{1,9})-/.exec(thread)?.[1];
  return made === undefined ? 0 : Number.parseInt(made, 36);
};
