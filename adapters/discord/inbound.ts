import type { Conversation } from "../../core/contract/conversation.ts";
import type { Account, UserMessage } from "../../core/contract/user-message.ts";
import type { AdapterContext } from "../contract/adapter-context.ts";
import { textCommand } from "../contract/text-command.ts";
import { attachmentId } from "./attachment-id.ts";
import { permalink } from "./permalink.ts";
import type { DiscordMessage, DiscordUser } from "./platform-events.ts";
import { MessageType } from "./platform-events.ts";

export type InboundContext = Pick<AdapterContext, "channel" | "tenant" | "agent" | "newId">;

export const messageIdOf = (channel: string, platformId: string): string => `${channel}:${platformId}`;

/** Written by a person, in a way that people use to say something. */
export const isFromPerson = ({ author, webhook_id, type }: DiscordMessage): boolean =>
  author.bot !== true && !webhook_id && (type === MessageType.default || type === MessageType.reply);

/** The bot is meant: it is mentioned, or what it said is answered. Without its intent the text of others is empty. */
export const isAddressed = (message: DiscordMessage, botId: string): boolean => {
  if (message.mentions.some(({ id }) => id === botId)) return true;
  const answersBot = message.type === MessageType.reply && message.referenced_message?.author.id === botId;
  return answersBot && (message.content !== "" || message.attachments.length > 0);
};

/** What a person said, or nothing if there is nothing in it that could be answered. */
export const toUserMessage = (
  message: DiscordMessage,
  conversation: Conversation,
  botId: string,
  { channel, tenant, agent, newId }: InboundContext,
): UserMessage | undefined => {
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
    ...(command && { command }),
    link: permalink(conversation, message.id),
    sentAt: new Date(message.timestamp).toISOString(),
    traceId: newId(),
  };
};

export const accountOf = (user: DiscordUser, nick?: string | null): Account => ({
  id: user.id,
  name: nick || user.global_name || user.username,
});

/** A thread has the id of the message it hangs on, so without anything else that message is answered. */
const answeredMessage = ({ type, message_reference }: DiscordMessage): string | undefined =>
  type === MessageType.reply ? (message_reference?.message_id ?? undefined) : undefined;

/** Mentions as people see them, without the one that only calls the bot. */
const readableText = ({ content, mentions }: DiscordMessage, botId: string): string => {
  const names = new Map(mentions.map((user) => [user.id, user.global_name || user.username]));
  return withoutCalls(content, [`<@${botId}>`, `<@!${botId}>`])
    .replace(/<@!?(\d+)>/g, (mention, id: string) => (names.has(id) ? `@${names.get(id)}` : mention))
    .trim();
};

/** A loop and not a pattern: one that ends with the text would try each of many mentions to its end. */
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
