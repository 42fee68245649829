import { z } from "zod";

/** An address on a channel. It is one value: never merge two field by field. */
export const Conversation = z.looseObject({
  channel: z.string().min(1),
  workspace: z.string().optional(),
  room: z.string().min(1),
  thread: z.string().optional(),
  /** Private: exactly one human in it. Everything else, group messages too, is shared. */
  kind: z.enum(["private", "shared"]),
});
export type Conversation = z.infer<typeof Conversation>;

/** The one spelling of a conversation, whatever characters its ids hold. */
export const conversationKey = ({ channel, workspace, room, thread }: Conversation): string =>
  `${spelled(channel)}/${spelled(workspace)}/${spelled(room)}/${spelled(thread)}`;

const spelled = (part: string | undefined): string => (part === undefined ? "-" : `+${encodeURIComponent(part)}`);

export const sameConversation = (a: Conversation, b: Conversation): boolean => sameRoom(a, b) && a.thread === b.thread;

/** Threads of one room, or the room itself. */
export const sameRoom = (a: Conversation, b: Conversation): boolean =>
  a.channel === b.channel && a.workspace === b.workspace && a.room === b.room;
