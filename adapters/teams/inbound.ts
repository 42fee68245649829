import { z } from "zod";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type { Account, InboundMessage } from "../../core/contract/messages/user-message.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import { kindFor, textCommand } from "../contract/text-command.ts";
import type { Activity, SentAttachment } from "./activity.ts";
import { isMentioned, messageText, sentFiles } from "./activity.ts";
import type { Reference } from "./api/references.ts";

export interface Arrival extends AgentRef {
  readonly channel: string;
  /** The bot's directory (tenant). */
  readonly directory: string;
  readonly botId: string;
  readonly mentionOnly: boolean;
  readonly now: number;
  readonly traceId: string;
}

/** The value of our buttons; see `render.ts`. */
export const PressedButton = z.looseObject({
  mooring: z.looseObject({ command: z.string().min(1), args: z.string().default("") }),
});

/** Converts a new or edited message; undefined for reactions, posts of bots and messages that do not address the agent. */
export const userMessageOf = (activity: Activity, arrival: Arrival): InboundMessage | undefined => {
  const { id, from } = activity;
  const isEdit = activity.type === "messageUpdate";
  if (!(isEdit || activity.type === "message") || id === undefined || from === undefined) return undefined;
  if (from.role === "bot" || from.id.startsWith("28:")) return undefined;
  const botId = activity.recipient?.id ?? arrival.botId;
  const conversation = conversationOf(activity, arrival.channel);
  const pressed = PressedButton.safeParse(activity.value).data?.mooring;
  const forUs = conversation.kind === "private" || pressed !== undefined || isMentioned(activity, botId);
  if (!forUs && arrival.mentionOnly) return undefined;

  const text = pressed ? `/${pressed.command} ${pressed.args}`.trimEnd() : messageText(activity, botId);
  const attachments = sentFiles(activity.attachments);
  if (text === "" && attachments.length === 0) return undefined;
  const command = pressed ? { name: pressed.command, args: pressed.args } : textCommand(text);
  // An edit cannot turn a message into a command.
  if (isEdit && command !== undefined) return undefined;
  const kind = isEdit ? ({ kind: "edit" } as const) : kindFor(command);
  const replyTo = answeredMessage(activity, conversation);
  const link = messageLink(conversation, id, referenceOf(activity), arrival.directory);
  return {
    id: `${arrival.channel}:${activity.conversation.id}:${id}`,
    tenant: arrival.tenant,
    agent: arrival.agent,
    conversation,
    messageId: id,
    account: accountOf(activity, from),
    text,
    attachments,
    ...(replyTo !== undefined && { replyTo }),
    ...(kind.kind === "message" && quotedMessage(activity)),
    ...(link !== undefined && { link }),
    sentAt: sentAt(activity, arrival.now),
    traceId: arrival.traceId,
    ...kind,
    ...(kind.kind === "message" && { editable: true }),
  };
};

/** The conversation id of a channel thread contains its root: `19:…@thread.tacv2;messageid=<first message>`. */
export const conversationOf = (activity: Activity, channel: string): Conversation => {
  const { room, thread } = partsOf(activity.conversation.id);
  const kind = kindOf(activity) === "personal" ? "private" : "shared";
  const team = activity.channelData.team?.id;
  return {
    channel,
    ...(team !== undefined && { workspace: team }),
    room,
    ...(thread !== undefined && { thread }),
    kind,
  };
};

export const conversationId = ({ room, thread }: Pick<Conversation, "room" | "thread">): string =>
  thread === undefined ? room : `${room}${THREAD}${thread}`;

/** The data for posting to the room of an activity. */
export const referenceOf = (activity: Activity): Reference => {
  const { serviceUrl, channelData, from } = activity;
  const groupId = channelData.team?.aadGroupId;
  const kind = kindOf(activity);
  const accountId = kind === "personal" && !from?.id.startsWith("28:") ? from?.aadObjectId : undefined;
  return {
    serviceUrl,
    kind,
    ...(accountId !== undefined && { accountId }),
    ...(groupId !== undefined && { groupId }),
  };
};

/** Tells if the app was added to the room or removed from it. An upgrade removes it only for a moment. */
export const installationIn = (activity: Activity, ownId: string): "added" | "removed" | undefined => {
  const botId = activity.recipient?.id ?? ownId;
  const has = (members: Activity["membersAdded"]) => members.some(({ id }) => id === botId);
  if (activity.type === "installationUpdate") {
    if (activity.action === "remove") return "removed";
    return activity.action?.startsWith("add") ? "added" : undefined;
  }
  if (activity.type !== "conversationUpdate") return undefined;
  if (has(activity.membersRemoved)) return "removed";
  return has(activity.membersAdded) ? "added" : undefined;
};

const THREAD = ";messageid=";

const partsOf = (id: string): { room: string; thread: string | undefined } => {
  const [room = id, thread] = id.split(THREAD, 2);
  return { room, thread: thread || undefined };
};

/** Old clients omit the kind; then only a certainly private conversation counts as private. */
const kindOf = ({ conversation, channelData }: Activity): Reference["kind"] => {
  if (conversation.conversationType !== undefined) return conversation.conversationType;
  if (channelData.team !== undefined || conversation.id.includes("@thread.tacv2")) return "channel";
  return conversation.id.startsWith("a:") ? "personal" : "groupChat";
};

const accountOf = ({ locale, localTimezone }: Activity, from: NonNullable<Activity["from"]>): Account => ({
  id: from.aadObjectId ?? from.id,
  name: from.name || "Unknown user",
  ...(locale !== undefined && { locale }),
  ...(localTimezone !== undefined && { timeZone: localTimezone }),
});

/** The card of a pressed button, the quoted message, or the root of the thread. */
const answeredMessage = (
  { id, value, replyToId, attachments }: Activity,
  { thread }: Conversation,
): string | undefined => {
  if (value != null && replyToId !== undefined) return replyToId;
  const root = thread === id ? undefined : thread;
  return attachments.map(quotedIn).find((quoted) => quoted !== undefined) ?? replyToId ?? root;
};

/** Stops at every "<", so that matching stays linear in a text full of opened quotes. */
const QUOTES = /<blockquote\s([^<>]*)>/gi;
const IS_REPLY = /\bitemtype="http:\/\/schema\.skype\.com\/Reply"/i;

const quotedIn = ({ contentType, content }: SentAttachment): string | undefined => {
  if (contentType !== "text/html" || typeof content !== "string") return undefined;
  for (const [, attributes = ""] of content.matchAll(QUOTES)) {
    const id = IS_REPLY.test(attributes) ? /\bitemid="([^"]+)"/i.exec(attributes)?.[1] : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
};

const MAX_QUOTE_CHARS = 4_000;

/** The quote of a reply, with the author and the beginning of the other message as Teams shows them. */
const quotedMessage = ({ attachments }: Activity) => {
  const html = attachments.find((attachment) => quotedIn(attachment) !== undefined)?.content;
  if (typeof html !== "string") return {};
  const begin = html.search(/<blockquote\s/i);
  const end = html.indexOf("</blockquote>", begin);
  const quote = html.slice(begin, end < 0 ? undefined : end).slice(0, 4 * MAX_QUOTE_CHARS);
  const [named = "", name = ""] = /<strong\s[^<>]*itemprop="mri"[^<>]*>([^<>]*)<\/strong>/i.exec(quote) ?? [];
  const text = plainText(quote.replace(named, "")).slice(0, MAX_QUOTE_CHARS);
  if (text === "") return {};
  return { quoted: { text, ...(name !== "" && { author: plainText(name) }) } };
};

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " ", "#39": "'" };

/** Only for the model, so that an unknown entity stays as it is. */
const plainText = (html: string): string =>
  html
    .replace(/<\/p>|<br\s*\/?>/gi, "\n")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(#?\w{1,8});/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .trim();

const sentAt = ({ timestamp = "" }: Activity, now: number): string => {
  const at = Date.parse(timestamp);
  return isoTime(Number.isNaN(at) ? now : at);
};

const BASE = "https://teams.microsoft.com/l/message";

/**
 * The deep link to a message. Private chats with a bot have none.
 * https://learn.microsoft.com/microsoftteams/platform/concepts/build-and-test/deep-link-teams
 */
export const messageLink = (
  { room, thread, kind }: Conversation,
  messageId: string,
  reference: Pick<Reference, "groupId">,
  directory: string,
): string | undefined => {
  if (kind === "private") return undefined;
  const path = `${BASE}/${encodeURIComponent(room)}/${encodeURIComponent(messageId)}`;
  if (!room.includes("@thread.tacv2")) return `${path}?${new URLSearchParams({ context: '{"contextType":"chat"}' })}`;
  if (reference.groupId === undefined) return undefined;
  const parentMessageId = thread ?? messageId;
  return `${path}?${new URLSearchParams({ tenantId: directory, groupId: reference.groupId, parentMessageId })}`;
};
