import type { Conversation } from "../../../core/contract/messages/conversation.ts";

/** On Discord a thread is a channel with its own id. */
export const channelIdOf = ({ room, thread }: Conversation): string => thread ?? room;

export const permalink = (conversation: Conversation, messageId: string): string =>
  `https://discord.com/channels/${conversation.workspace ?? "@me"}/${channelIdOf(conversation)}/${messageId}`;

/** File addresses expire within a day, so the message that holds an attachment identifies it. */
export interface AttachmentPlace {
  readonly channelId: string;
  readonly messageId: string;
  readonly id: string;
}

export const attachmentId = ({ channelId, messageId, id }: AttachmentPlace): string =>
  `${channelId}/${messageId}/${id}`;

export const attachmentPlace = (spelled: string): AttachmentPlace | undefined => {
  const [, channelId, messageId, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(spelled) ?? [];
  return channelId && messageId && id ? { channelId, messageId, id } : undefined;
};

const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** The smallest id that Discord can assign at this time. */
export const snowflakeAt = (ms: number): string => {
  const since = BigInt(Math.floor(ms)) - DISCORD_EPOCH_MS;
  return String((since > 0n ? since : 0n) << 22n);
};

/** Compares by number: ids grow with time, but their text order breaks when they gain a digit. */
export const isAfter = (a: string, b: string): boolean => BigInt(a) > BigInt(b);

export const laterOf = (a: string, b: string): string => (isAfter(a, b) ? a : b);

export const justBefore = (id: string): string => String(BigInt(id) - 1n);
