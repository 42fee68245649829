import { z } from "zod";

/** An address on a channel. It is one value: never combine fields of two conversations. */
export const Conversation = z.looseObject({
  channel: z.string().min(1),
  workspace: z.string().optional(),
  room: z.string().min(1),
  thread: z.string().optional(),
  /** Private: exactly one human in it. Everything else, group messages too, is shared. */
  kind: z.enum(["private", "shared"]),
});
export type Conversation = z.infer<typeof Conversation>;

/** A unique key of the conversation; its ids may contain any character. */
export const conversationKey = ({ channel, workspace, room, thread }: Conversation): string =>
  `${encodePart(channel)}/${encodePart(workspace)}/${encodePart(room)}/${encodePart(thread)}`;

const encodePart = (part: string | undefined): string => (part === undefined ? "-" : `+${encodeURIComponent(part)}`);

export const sameConversation = (a: Conversation, b: Conversation): boolean => sameRoom(a, b) && a.thread === b.thread;

/** True for two threads of one room, or a thread and its room. */
export const sameRoom = (a: Conversation, b: Conversation): boolean =>
  a.channel === b.channel && a.workspace === b.workspace && a.room === b.room;
