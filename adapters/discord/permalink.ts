import type { Conversation } from "../../core/contract/conversation.ts";

/** A thread is a channel of its own. */
export const channelIdOf = ({ room, thread }: Conversation): string => thread ?? room;

export const permalink = (conversation: Conversation, messageId: string): string =>
  `https://discord.com/channels/${conversation.workspace ?? "@me"}/${channelIdOf(conversation)}/${messageId}`;
