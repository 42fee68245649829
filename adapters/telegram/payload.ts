import { z } from "zod";

/** Ids have up to 52 bits, so numbers hold them. */
const Id = z.number().int();

const User = z.looseObject({
  id: Id,
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
  language_code: z.string().optional(),
});
export type TelegramUser = z.infer<typeof User>;

const Chat = z.looseObject({ id: Id, type: z.string() });

const Entity = z.looseObject({
  type: z.string(),
  /** In UTF-16 units. */
  offset: z.number().int().nonnegative(),
  length: z.number().int().nonnegative(),
  user: User.optional(),
});
export type TelegramEntity = z.infer<typeof Entity>;

const File = z.looseObject({
  file_id: z.string().min(1),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.number().int().nonnegative().optional(),
});
export type TelegramFile = z.infer<typeof File>;

/** The message that another one answers; Telegram nests only one level. */
const Answered = z.looseObject({
  message_id: Id,
  from: User.optional(),
  date: z.number().int().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  caption: z.string().optional().catch(undefined),
});

/** https://core.telegram.org/bots/api#message */
export const TelegramMessage = z.looseObject({
  message_id: Id,
  date: z.number().int(),
  chat: Chat,
  from: User.optional(),
  /** An anonymous administrator, or a channel that is linked to the group. */
  sender_chat: z.looseObject({ id: Id }).optional(),
  message_thread_id: Id.optional(),
  is_topic_message: z.boolean().optional(),
  reply_to_message: Answered.optional(),
  /** The part of that message that the person chose. */
  quote: z.looseObject({ text: z.string() }).optional().catch(undefined),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(Entity).optional(),
  caption_entities: z.array(Entity).optional(),
  /** Messages with the same one are an album. */
  media_group_id: z.string().optional(),
  photo: z.array(File).optional(),
  document: File.optional(),
  video: File.optional(),
  animation: File.optional(),
  audio: File.optional(),
  voice: File.optional(),
  video_note: File.optional(),
  migrate_to_chat_id: Id.optional(),
});
export type TelegramMessage = z.infer<typeof TelegramMessage>;

/** https://core.telegram.org/bots/api#callbackquery */
export const CallbackQuery = z.looseObject({
  id: z.string().min(1),
  from: User,
  data: z.string().optional(),
  /** Without content if the message is too old. */
  message: z
    .looseObject({
      message_id: Id,
      chat: Chat,
      message_thread_id: Id.optional(),
      is_topic_message: z.boolean().optional(),
    })
    .optional(),
});
export type CallbackQuery = z.infer<typeof CallbackQuery>;

/** The rights of the bot in a chat have changed. https://core.telegram.org/bots/api#chatmemberupdated */
export const ChatMemberUpdated = z.looseObject({
  chat: Chat,
  new_chat_member: z.looseObject({ status: z.string(), can_send_messages: z.boolean().optional() }),
});
export type ChatMemberUpdated = z.infer<typeof ChatMemberUpdated>;

/** An unreadable part counts as absent, so that one odd message does not block those behind it. */
export const Update = z.looseObject({
  update_id: Id,
  message: TelegramMessage.optional().catch(undefined),
  edited_message: TelegramMessage.optional().catch(undefined),
  callback_query: CallbackQuery.optional().catch(undefined),
  my_chat_member: ChatMemberUpdated.optional().catch(undefined),
});
export type Update = z.infer<typeof Update>;

/** The kinds of update that Mooring requests. */
export const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;

export const Bot = z.looseObject({
  id: Id,
  username: z.string().default(""),
  can_join_groups: z.boolean().optional(),
  /** Privacy mode is off. */
  can_read_all_group_messages: z.boolean().optional(),
});
export type Bot = z.infer<typeof Bot>;

export const WebhookInfo = z.looseObject({
  url: z.string().default(""),
  pending_update_count: z.number().default(0),
  last_error_message: z.string().optional(),
  last_error_date: z.number().optional(),
});
export type WebhookInfo = z.infer<typeof WebhookInfo>;

export const SentMessage = z.looseObject({ message_id: Id });
export const SentAlbum = z.array(SentMessage).min(1);
export const ChatInfo = z.looseObject({ id: Id, type: z.string() });
export const FileInfo = z.looseObject({
  file_path: z.string().optional(),
  file_size: z.number().optional(),
});
