import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type {
  Account,
  Attachment,
  CommandLine,
  CommandMessage,
  EditMessage,
  FromPerson,
} from "../../core/contract/messages/user-message.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import { kindFor, textCommand } from "../contract/text-command.ts";
import type { Bot, CallbackQuery, TelegramEntity, TelegramFile, TelegramMessage, TelegramUser } from "./payload.ts";

export type InboundContext = Pick<AdapterContext, "channel" | "tenant" | "agent" | "newId" | "commands">;

/** A message id is unique within its chat only. */
const messageIdOf = (channel: string, chat: number, id: number | string): string => `${channel}:${chat}:${id}`;

type Placed = Pick<TelegramMessage, "chat" | "message_thread_id" | "is_topic_message">;

/** A topic is a thread. In other groups the thread id only marks a chain of answers. */
export const conversationOf = (channel: string, message: Placed): Conversation => {
  const { chat, message_thread_id: thread, is_topic_message } = message;
  return {
    channel,
    room: String(chat.id),
    ...(is_topic_message && thread !== undefined && { thread: String(thread) }),
    kind: chat.type === "private" ? "private" : "shared",
  };
};

/** A message of one person: not of a bot, an anonymous administrator or a linked channel. */
export const isFromPerson = ({ from, sender_chat, chat }: TelegramMessage): boolean =>
  from !== undefined && !from.is_bot && sender_chat === undefined && chat.type !== "channel";

/** The message that this one answers. In a topic each message formally answers the topic's first one. */
const answeredBy = ({ reply_to_message, message_thread_id }: TelegramMessage) =>
  reply_to_message?.message_id === message_thread_id ? undefined : reply_to_message;

/** The text of the message that this one answers, or the part of it that the person chose. */
const quotedIn = (message: TelegramMessage, bot: Bot) => {
  const answered = answeredBy(message);
  const text = message.quote?.text ?? answered?.text ?? answered?.caption ?? "";
  if (answered === undefined || text === "") return {};
  const { from, date } = answered;
  return {
    quoted: {
      text: text.slice(0, MAX_QUOTE_CHARS),
      ...(from !== undefined && { author: accountOf(from).name }),
      ...(date !== undefined && { at: new Date(date * 1_000).toISOString() }),
      ...(from?.id === bot.id && { isOwn: true }),
    },
  };
};

/** More than the model is shown. */
const MAX_QUOTE_CHARS = 4_000;

interface Content {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
}

const contentOf = ({ text, caption, entities, caption_entities }: TelegramMessage): Content =>
  text === undefined ? { text: caption ?? "", entities: caption_entities ?? [] } : { text, entities: entities ?? [] };

const wordOf = ({ text }: Content, { offset, length }: TelegramEntity): string => text.slice(offset, offset + length);

/** Whether an entity names the bot: `@bot`, its name without an address, or `/command@bot`. */
const namesBot = (content: Content, entity: TelegramEntity, bot: Bot): boolean => {
  const word = wordOf(content, entity).toLowerCase();
  const name = `@${bot.username.toLowerCase()}`;
  if (entity.type === "mention") return word === name;
  if (entity.type === "text_mention") return entity.user?.id === bot.id;
  return entity.type === "bot_command" && word.endsWith(name);
};

/** True if a message in a group is for the bot. */
export const isAddressed = (message: TelegramMessage, bot: Bot): boolean => {
  const content = contentOf(message);
  return answeredBy(message)?.from?.id === bot.id || content.entities.some((entity) => namesBot(content, entity, bot));
};

/** The text without the mentions that only address the bot: at its start, at its end and behind a command. */
const readableText = (content: Content, bot: Bot): string => {
  const { text, entities } = content;
  const calls = entities.filter((entity) => entity.type !== "bot_command" && namesBot(content, entity, bot));
  let start = 0;
  let end = text.length;
  for (const { offset, length } of calls) {
    if (text.slice(start, offset).trim() === "") start = offset + length;
  }
  for (const { offset, length } of calls.toReversed()) {
    if (offset >= start && text.slice(offset + length, end).trim() === "") end = offset;
  }
  const isCommand = entities.some((entity) => entity.type === "bot_command" && namesBot(content, entity, bot));
  const readable = text.slice(start, end).trim();
  return isCommand ? readable.replace(/^(\/\w+)@\w+/, "$1") : readable;
};

/** Telegram's menu has "_" where names of commands have "-", and every chat with a bot begins with /start. */
const commandIn = (text: string, { commands }: InboundContext): CommandLine | undefined => {
  const typed = text.replace(/^\/\w+/, (name) => {
    const known = name.slice(1).toLowerCase().replaceAll("_", "-");
    return commands.some((command) => command.name === known) ? `/${known}` : name;
  });
  const command = textCommand(typed);
  return command?.name === "start" ? { name: "help", args: "" } : command;
};

/** Converts a message or an album; undefined if it has no content to answer. The first message of an album has its text. */
export const toUserMessage = (
  messages: readonly [TelegramMessage, ...TelegramMessage[]],
  bot: Bot,
  context: InboundContext,
): FromPerson | undefined => {
  const [first] = messages;
  const shared = sharedFields(first, context);
  if (shared === undefined) return undefined;
  const told = messages.find((message) => contentOf(message).text !== "") ?? first;
  const text = readableText(contentOf(told), bot);
  const attachments = messages.flatMap(attachmentsOf);
  const isMentionOnly = text === "" && attachments.length === 0;
  if (isMentionOnly && !isAddressed(first, bot)) return undefined;
  const command = isMentionOnly ? { name: "help", args: "" } : commandIn(text, context);
  const fields = { ...shared, text, attachments };
  return command === undefined
    ? { ...fields, ...quotedIn(first, bot), editable: true, kind: "message" }
    : { ...fields, ...kindFor(command) };
};

/** The new text of a message. Its id is that of the original. */
export const toEdit = (message: TelegramMessage, bot: Bot, context: InboundContext): EditMessage | undefined => {
  const shared = sharedFields(message, context);
  const text = readableText(contentOf(message), bot);
  if (shared === undefined || text === "") return undefined;
  return { ...shared, text, attachments: attachmentsOf(message), kind: "edit" };
};

const sharedFields = (message: TelegramMessage, { channel, tenant, agent, newId }: InboundContext) => {
  const { message_id, chat, from, date } = message;
  if (from === undefined) return undefined;
  const replyTo = answeredBy(message)?.message_id;
  const conversation = conversationOf(channel, message);
  const link = permalinkOf(conversation, String(message_id));
  return {
    id: messageIdOf(channel, chat.id, message_id),
    tenant,
    agent,
    conversation,
    account: accountOf(from),
    ...(replyTo !== undefined && { replyTo: String(replyTo) }),
    messageId: String(message_id),
    ...(link !== undefined && { link }),
    sentAt: new Date(date * 1_000).toISOString(),
    traceId: newId(),
  };
};

const accountOf = ({ id, first_name, last_name, username, language_code }: TelegramUser): Account => ({
  id: String(id),
  name: [first_name, last_name].filter(Boolean).join(" ") || username || String(id),
  ...(language_code !== undefined && { locale: language_code }),
});

/** A picture has several sizes; the last one is the largest. */
const attachmentsOf = (message: TelegramMessage): Attachment[] => {
  const { photo, document, video, animation, audio, voice, video_note } = message;
  const found: [TelegramFile | undefined, name: string, mediaType: string][] = [
    [photo?.at(-1), "photo.jpg", "image/jpeg"],
    // A document repeats an animation.
    [animation ? undefined : document, "file", "application/octet-stream"],
    [animation, "animation.mp4", "video/mp4"],
    [video, "video.mp4", "video/mp4"],
    [audio, "audio.mp3", "audio/mpeg"],
    [voice, "voice.ogg", "audio/ogg"],
    [video_note, "video.mp4", "video/mp4"],
  ];
  return found.flatMap(([file, name, mediaType]) =>
    file === undefined
      ? []
      : [
          {
            id: file.file_id,
            name: file.file_name ?? name,
            mediaType: file.mime_type ?? mediaType,
            ...(file.file_size !== undefined && { bytes: file.file_size }),
          },
        ],
  );
};

/** Converts a pressed button; undefined if its message is unknown. */
export const toPress = (
  { id, from, message }: CallbackQuery,
  command: CommandLine,
  sentAt: string,
  { channel, tenant, agent, newId }: InboundContext,
): CommandMessage | undefined =>
  message && {
    kind: "command",
    id: messageIdOf(channel, message.chat.id, `press:${id}`),
    tenant,
    agent,
    conversation: conversationOf(channel, message),
    account: accountOf(from),
    text: `/${command.name} ${command.args}`.trim(),
    attachments: [],
    command,
    replyTo: String(message.message_id),
    sentAt,
    traceId: newId(),
  };

/** Only supergroups have links, which work for their members. https://core.telegram.org/api/links#message-links */
export const permalinkOf = ({ room, thread }: Conversation, messageId: string): string | undefined => {
  const [, id] = /^-100(\d+)$/.exec(room) ?? [];
  if (id === undefined) return undefined;
  return `https://t.me/c/${id}/${thread === undefined ? "" : `${thread}/`}${messageId}`;
};
