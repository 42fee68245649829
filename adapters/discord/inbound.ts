import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Account, CommandLine, CommandMessage, FromPerson } from "../../core/contract/messages/user-message.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import { kindFor, textCommand } from "../contract/text-command.ts";
import type { DiscordInteraction, DiscordMessage, DiscordUser } from "./payload.ts";
import { attachmentId, MessageType, permalink } from "./payload.ts";
import { pressedAction } from "./render.ts";

type InboundContext = Pick<AdapterContext, "channel" | "tenant" | "agent" | "newId">;

const messageIdOf = (channel: string, platformId: string): string => `${channel}:${platformId}`;

/** A plain message or reply of a person. */
export const isFromPerson = ({ author, webhook_id, type }: DiscordMessage): boolean =>
  author.bot !== true && !webhook_id && (type === MessageType.default || type === MessageType.reply);

/** True if a message mentions the bot or answers it. Without the Message Content intent other messages have no text. */
export const isAddressed = (message: DiscordMessage, botId: string): boolean => {
  if (message.mentions.some(({ id }) => id === botId)) return true;
  const answersBot = message.type === MessageType.reply && message.referenced_message?.author.id === botId;
  return answersBot && (message.content !== "" || message.attachments.length > 0);
};

/** Converts a message; undefined if it has no content to answer. */
export const toUserMessage = (
  message: DiscordMessage,
  conversation: Conversation,
  botId: string,
  { channel, tenant, agent, newId }: InboundContext,
): FromPerson | undefined => {
  const text = readableText(message, botId);
  const attachments = message.attachments.map(({ id, filename, content_type, size }) => ({
    id: attachmentId({ channelId: message.channel_id, messageId: message.id, id }),
    name: filename,
    mediaType: content_type ?? "application/octet-stream",
    ...(size !== undefined && { bytes: size }),
  }));
  const isMentionOnly = text === "" && attachments.length === 0;
  if (isMentionOnly && !message.mentions.some(({ id }) => id === botId)) return undefined;
  const command = isMentionOnly ? { name: "help", args: "" } : textCommand(text);
  const replyTo = answeredMessage(message) ?? conversation.thread;
  return {
    id: messageIdOf(channel, message.id),
    tenant,
    agent,
    conversation,
    account: accountOf(message.author, message.member?.nick),
    text,
    attachments,
    ...(replyTo !== undefined && { replyTo }),
    ...quotedIn(message, botId),
    messageId: message.id,
    link: permalink(conversation, message.id),
    sentAt: new Date(message.timestamp).toISOString(),
    traceId: newId(),
    ...kindFor(command),
  };
};

export const accountOf = (user: DiscordUser, nick?: string | null): Account => ({
  id: user.id,
  name: nick || user.global_name || user.username,
});

/** The message that a reply answers. In a thread the fallback is its root message, whose id is the thread's id. */
const answeredMessage = ({ type, message_reference }: DiscordMessage): string | undefined =>
  type === MessageType.reply ? (message_reference?.message_id ?? undefined) : undefined;

/** The text of the message that a reply answers, which is in the same channel. Absent if it was deleted. */
const quotedIn = ({ type, referenced_message: quoted }: DiscordMessage, botId: string) => {
  if (type !== MessageType.reply || !quoted?.content) return {};
  const { author, content, timestamp } = quoted;
  const name = author.global_name || author.username;
  const at = Date.parse(timestamp ?? "");
  return {
    quoted: {
      text: content.slice(0, MAX_QUOTE_CHARS),
      ...(name && { author: name }),
      ...(!Number.isNaN(at) && { at: new Date(at).toISOString() }),
      ...(author.id === botId && { isOwn: true }),
    },
  };
};

/** More than the model is shown. */
const MAX_QUOTE_CHARS = 4_000;

/** The text with readable mentions, without the mention that only addresses the bot. */
const readableText = ({ content, mentions }: DiscordMessage, botId: string): string => {
  const names = new Map(mentions.map((user) => [user.id, user.global_name || user.username]));
  return withoutCalls(content, [`<@${botId}>`, `<@!${botId}>`])
    .replace(/<@!?(\d+)>/g, (mention, id: string) => (names.has(id) ? `@${names.get(id)}` : mention))
    .trim();
};

/** A loop, because a pattern anchored at the end would backtrack over each of many mentions. */
const withoutCalls = (content: string, calls: readonly string[]): string => {
  let text = content.trim();
  for (let call: string | undefined = ""; call !== undefined; ) {
    call = calls.find((each) => text.startsWith(each));
    if (call !== undefined) text = text.slice(call.length).trimStart();
  }
  for (let call: string | undefined = ""; call !== undefined; ) {
    call = calls.find((each) => text.endsWith(each));
    if (call !== undefined) text = text.slice(0, -call.length).trimEnd();
  }
  return text;
};

/** Distinguishable from message ids, because answers to interactions use another endpoint. */
export const interactionMessageId = (channel: string, interactionId: string): string =>
  messageIdOf(channel, `interaction:${interactionId}`);

export const isInteractionMessageId = (channel: string, id: string): boolean =>
  id.startsWith(interactionMessageId(channel, ""));

/** Converts a slash command or a pressed button to a command message. */
export const interactionMessage = (
  interaction: DiscordInteraction,
  conversation: Conversation,
  sentAt: string,
  { channel, tenant, agent, newId }: InboundContext,
): CommandMessage | undefined => {
  const user = interaction.member?.user ?? interaction.user;
  const command = commandIn(interaction);
  if (!user || command === undefined) return undefined;
  const account = accountOf(user, interaction.member?.nick);
  return {
    kind: "command",
    id: interactionMessageId(channel, interaction.id),
    tenant,
    agent,
    conversation,
    account: interaction.locale === undefined ? account : { ...account, locale: interaction.locale },
    text: `/${command.name} ${command.args}`.trim(),
    attachments: [],
    command,
    ...(interaction.type === 3 && { replyTo: interaction.message.id }),
    sentAt,
    traceId: newId(),
  };
};

const commandIn = (interaction: DiscordInteraction): CommandLine | undefined => {
  if (interaction.type === 3) return pressedAction(interaction.data.custom_id);
  const { name, options } = interaction.data;
  const args = options.map(({ value }) => String(value ?? "").trim()).join(" ");
  // People can copy the link of a message more easily than its id.
  return { name, args: args.replace(MESSAGE_LINK, "$1") };
};

const MESSAGE_LINK = /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/[^/\s]+\/\d+\/(\d+)$/;
