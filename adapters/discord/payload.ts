import { z } from "zod";
import type { Conversation } from "../../core/contract/messages/conversation.ts";

/** The fields in use of Discord's objects, from the gateway and the REST API. Other fields are ignored. */

const Id = z.string().regex(/^\d{1,20}$/);

const User = z.object({
  id: Id,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});
export type DiscordUser = z.infer<typeof User>;

const Member = z.object({ nick: z.string().nullish() });

/** A detail that a message is readable without. */
const lenientText = z.string().nullish().catch(undefined);

export const DiscordMessage = z.object({
  id: Id,
  channel_id: Id,
  guild_id: Id.nullish(),
  type: z.number(),
  author: User,
  member: Member.nullish(),
  content: z.string(),
  timestamp: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
  webhook_id: Id.nullish(),
  mentions: z.array(User).default([]),
  attachments: z
    .array(
      z.object({
        id: Id,
        filename: z.string(),
        content_type: z.string().nullish(),
        size: z.int().nonnegative().optional(),
        url: z.string().optional(),
      }),
    )
    .default([]),
  message_reference: z.object({ message_id: Id.nullish() }).nullish(),
  referenced_message: z
    .object({
      author: z.object({ id: Id, username: lenientText, global_name: lenientText }),
      content: lenientText,
      timestamp: lenientText,
    })
    .nullish(),
});
export type DiscordMessage = z.infer<typeof DiscordMessage>;

/** The message types that people write. */
export const MessageType = { default: 0, reply: 19 } as const;

export const DiscordChannel = z.object({
  id: Id,
  type: z.number(),
  guild_id: Id.nullish(),
  parent_id: Id.nullish(),
});
export type DiscordChannel = z.infer<typeof DiscordChannel>;

/** The minimum for answering an interaction that is otherwise unreadable. */
export const InteractionEnvelope = z.object({
  id: Id,
  token: z.string().min(1),
  locale: z.string().optional().catch(undefined),
});
export type InteractionEnvelope = z.infer<typeof InteractionEnvelope>;

const interactionFields = {
  ...InteractionEnvelope.shape,
  application_id: Id,
  channel_id: Id,
  guild_id: Id.nullish(),
  channel: DiscordChannel.nullish().catch(undefined),
  user: User.nullish(),
  member: Member.extend({ user: User }).nullish(),
};

export const DiscordInteraction = z.discriminatedUnion("type", [
  z.object({
    type: z.literal(2),
    ...interactionFields,
    data: z.object({
      name: z.string(),
      options: z
        .array(z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]).optional() }))
        .default([]),
    }),
  }),
  z.object({
    type: z.literal(3),
    ...interactionFields,
    data: z.object({ custom_id: z.string() }),
    message: z.object({ id: Id }),
  }),
]);
export type DiscordInteraction = z.infer<typeof DiscordInteraction>;

export const Ready = z.object({
  user: z.object({ id: Id }),
  application: z.object({ id: Id }),
  session_id: z.string(),
  resume_gateway_url: z.string(),
});

export const GuildCreate = z.object({
  id: Id,
  channels: z.array(z.unknown()).default([]),
  threads: z.array(z.unknown()).default([]),
});

export const GuildDelete = z.object({ id: Id, unavailable: z.boolean().optional() });

export const PostedMessage = z.object({ id: Id });

export const PrivateChannel = z.object({ id: Id });

/** On Discord a thread is a channel with its own id. */
export const channelIdOf = ({ room, thread }: Conversation): string => thread ?? room;

export const permalink = (conversation: Conversation, messageId: string): string =>
  `https://discord.com/channels/${conversation.workspace ?? "@me"}/${channelIdOf(conversation)}/${messageId}`;

/** File addresses expire within a day, so the message that holds an attachment identifies it. */
export interface AttachmentRef {
  readonly channelId: string;
  readonly messageId: string;
  readonly id: string;
}

export const attachmentId = ({ channelId, messageId, id }: AttachmentRef): string => `${channelId}/${messageId}/${id}`;

export const parseAttachmentId = (text: string): AttachmentRef | undefined => {
  const [, channelId, messageId, id] = /^(\d+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
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
