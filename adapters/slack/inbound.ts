import { z } from "zod";
import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import type {
  Attachment,
  CommandLine,
  CommandMessage,
  FromPerson,
  QuotedMessage,
} from "../../core/contract/messages/user-message.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import { kindFor, textCommand } from "../contract/text-command.ts";
import { type AuthorTeam, authorTeamOf } from "./author.ts";
import type { SlackAccess } from "./config.ts";
import {
  type ButtonPress,
  type EventEnvelope,
  MessageEvent,
  SharedMessage,
  SlackFile,
  type SlashCommand,
} from "./payload.ts";
import { commandOfAction } from "./render.ts";
import type { SlackIdentity } from "./web-api.ts";

export interface Arrival extends AgentRef {
  readonly channel: string;
  readonly identity: SlackIdentity;
  readonly access: SlackAccess | undefined;
  readonly now: number;
  readonly traceId: string;
}

/** The account has no name yet: the profile has it, and sometimes only the profile names the workspace. */
export type Inbound =
  | { readonly message: FromPerson; readonly author: AuthorTeam }
  /** unexpected: worth a warning. removed: the app is no longer installed. */
  | { readonly ignored: string; readonly unexpected?: boolean; readonly removed?: boolean };

/** Subtypes of messages that people write. All others are edits, deletions, joins and bot posts. */
const FROM_PEOPLE: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "thread_broadcast",
  "me_message",
]);
const DIRECT: ReadonlySet<string | undefined> = new Set(["im", "app_home"]);

export const messageOfEvent = (envelope: EventEnvelope, arrival: Arrival): Inbound => {
  const { identity } = arrival;
  if (!isForUs(envelope, identity)) return { ignored: `it is for workspace ${envelope.team_id}`, unexpected: true };
  if (isRemoval(envelope.event)) return { ignored: "the app was uninstalled", unexpected: true, removed: true };
  const { success, data: event } = MessageEvent.safeParse(envelope.event);
  if (!success) {
    const { type } = envelope.event;
    const unexpected = type === "message" || type === "app_mention";
    return { ignored: `an event of type "${type.slice(0, 60)}"`, unexpected };
  }
  if (!FROM_PEOPLE.has(event.subtype)) return { ignored: `a message of subtype "${event.subtype?.slice(0, 60)}"` };
  if (event.edited !== undefined) return { ignored: "an edit" };
  if (event.bot_id || event.user === undefined || event.user === identity.botUserId || event.user === "USLACKBOT") {
    return { ignored: "a message of a bot" };
  }
  const isDirect = event.type === "message" && DIRECT.has(event.channel_type);
  if (!isDirect && !addressesUs(event, arrival)) return { ignored: "the app was not addressed" };
  const thread = isDirect ? event.thread_ts : (event.thread_ts ?? event.ts);
  const conversation = conversationOf(arrival, event.channel, thread, isDirect ? "private" : "shared");
  const message = fromEvent(event, event.user, conversation, arrival);
  return { message, author: authorTeamOf(event, envelope, identity) };
};

export const messageOfCommand = (command: SlashCommand, arrival: Arrival): Inbound => {
  const { identity, channel } = arrival;
  if (!isOurTeam(command.team_id, command.enterprise_id, identity)) {
    return { ignored: `a command in workspace ${command.team_id}`, unexpected: true };
  }
  const [, word = "help", args = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(plainText(command.text, "")) ?? [];
  const isDirect = command.channel_name === "directmessage" || command.channel_id.startsWith("D");
  const conversation = conversationOf(arrival, command.channel_id, undefined, isDirect ? "private" : "shared");
  const message = commandMessage(arrival, conversation, {
    id: `${channel}:${identity.teamId}:command:${command.trigger_id}`,
    user: command.user_id,
    command: { name: word.toLowerCase(), args },
  });
  // Slack offers the command only to members of the workspace in which the app is installed.
  return { message: { ...message, unseen: true }, author: "ours" };
};

export const messageOfButton = (press: ButtonPress, arrival: Arrival): Inbound => {
  const { identity, channel } = arrival;
  if (press.team && !isOurTeam(press.team.id, press.enterprise?.id, identity)) {
    return { ignored: `a button in workspace ${press.team.id}`, unexpected: true };
  }
  const [action] = press.actions;
  const name = action === undefined ? undefined : commandOfAction(action.action_id);
  if (action === undefined || name === undefined) return { ignored: "a button of another app" };
  const room = press.channel.id;
  const shownIn = press.container.message_ts;
  const thread = press.container.thread_ts ?? press.message?.thread_ts;
  const conversation = conversationOf(arrival, room, thread, room.startsWith("D") ? "private" : "shared");
  const message = commandMessage(arrival, conversation, {
    id: `${channel}:${identity.teamId}:${room}:button:${shownIn}:${action.action_id}:${action.action_ts}`,
    user: press.user.id,
    command: { name, args: action.value ?? "" },
  });
  const author = authorTeamOf({ user_team: press.user.team_id }, {}, identity);
  return { message: { ...message, replyTo: shownIn }, author };
};

const fromEvent = (event: MessageEvent, user: string, conversation: Conversation, arrival: Arrival): FromPerson => {
  const { identity, channel } = arrival;
  const text = plainText(event.text ?? "", identity.botUserId);
  const attachments = (event.files ?? []).flatMap(attachmentOf);
  const isAnswer = event.thread_ts !== undefined && event.thread_ts !== event.ts;
  const quoted = sharedIn(event, conversation.kind, identity.botUserId);
  const isEmpty = text === "" && attachments.length === 0 && quoted === undefined;
  const command = isEmpty ? { name: "help", args: "" } : typedCommand(text);
  return {
    // Slack sends a mention twice, as "app_mention" and as "message": two event ids, but the same timestamp and room.
    id: `${channel}:${identity.teamId}:${event.channel}:${event.ts}`,
    tenant: arrival.tenant,
    agent: arrival.agent,
    conversation,
    account: { id: user, name: user },
    text,
    attachments,
    ...(isAnswer && { replyTo: event.thread_ts }),
    messageId: event.ts,
    link: permalinkOf(identity.teamUrl, event.channel, event.ts, event.thread_ts),
    sentAt: isoTime(Math.min(Number(event.ts) * 1_000, arrival.now)),
    traceId: arrival.traceId,
    ...(quoted !== undefined && command === undefined && { quoted }),
    ...kindFor(command),
  };
};

/**
 * The first message that a person forwarded with this one (M1). Slack shows a message of a private conversation only to
 * its members, so in a shared conversation it is left out.
 */
const sharedIn = (
  { attachments = [] }: MessageEvent,
  kind: Conversation["kind"],
  self: string,
): QuotedMessage | undefined => {
  const shared = attachments
    .map((attachment) => SharedMessage.safeParse(attachment).data)
    .find((each) => each !== undefined && (kind === "private" || each.private_channel_prompt !== true));
  if (shared === undefined) return undefined;
  const { text, author_name: author, ts = "" } = shared;
  return quoteOf(plainText(text, self), { author, ts: String(ts) });
};

/** Undefined if there is no text to quote. */
export const quoteOf = (
  text: string,
  { author, ts, isOwn }: { author?: string | undefined; ts: string; isOwn?: boolean },
): QuotedMessage | undefined => {
  const at = Number(ts) * 1_000;
  if (text.trim() === "") return undefined;
  return {
    text: text.slice(0, MAX_QUOTE_CHARS).toWellFormed(),
    ...(author && { author }),
    ...(at > 0 && at < MAX_TIME_MS && { at: isoTime(at) }),
    ...(isOwn && { isOwn }),
  };
};

/** More than the model is shown. */
const MAX_QUOTE_CHARS = 4_000;
/** The last time that a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/** The app has one slash command for all commands; the manifest in docs/channels/slack.md registers it. */
export const COMMAND_PREFIX = "/mooring ";

/** Slack refuses slash commands in threads; a mention of the app works there. The manifest names the app. */
export const THREAD_COMMAND_PREFIX = "@Mooring /";

/** A command that a person wrote as text, with a prefix or without it. A pasted "@Mooring" is not a mention. */
const typedCommand = (text: string): CommandLine | undefined =>
  textCommand(text.replace(/^@mooring\s+(?=\/)/i, "").replace(/^\/mooring\s+\/?/i, "/"));

const commandMessage = (
  { tenant, agent, now, traceId }: Arrival,
  conversation: Conversation,
  { id, user, command }: { id: string; user: string; command: CommandLine },
): CommandMessage => ({
  kind: "command",
  id,
  tenant,
  agent,
  conversation,
  account: { id: user, name: user },
  text: `/${command.name} ${command.args}`.trimEnd(),
  attachments: [],
  command,
  sentAt: isoTime(now),
  traceId,
});

const conversationOf = (
  { channel, identity }: Arrival,
  room: string,
  thread: string | undefined,
  kind: Conversation["kind"],
): Conversation => ({
  channel,
  workspace: identity.teamId,
  room,
  ...(thread !== undefined && { thread }),
  kind,
});

/** A message in a thread on one of the app's own posts is an answer to it. */
const addressesUs = (event: MessageEvent, { identity, access }: Arrival): boolean =>
  event.type === "app_mention" ||
  mentions(event.text ?? "", identity.botUserId) ||
  event.parent_user_id === identity.botUserId ||
  access?.mentionOnly === false;

const isForUs = ({ team_id, enterprise_id, authorizations }: EventEnvelope, identity: SlackIdentity): boolean =>
  isOurTeam(team_id, enterprise_id, identity) ||
  (authorizations ?? []).some((given) => isOurTeam(given.team_id, given.enterprise_id, identity));

/** An app that is installed for a whole organisation receives events without a workspace. */
const isOurTeam = (
  team: string | null | undefined,
  enterprise: string | null | undefined,
  { teamId, enterpriseId }: SlackIdentity,
): boolean => team === teamId || (!team && enterpriseId !== undefined && enterprise === enterpriseId);

/** Slack also reports revoked user tokens, which do not affect the bot. */
const isRemoval = ({ type, tokens }: EventEnvelope["event"]): boolean =>
  type === "app_uninstalled" || (type === "tokens_revoked" && BotTokens.safeParse(tokens).success);

const BotTokens = z.looseObject({ bot: z.array(z.unknown()).min(1) });

const attachmentOf = (value: unknown): Attachment[] => {
  const { success, data } = SlackFile.safeParse(value);
  if (!success) return [];
  const { id, name, mimetype, size } = data;
  return [
    {
      id,
      name: name || "file",
      mediaType: mimetype || "application/octet-stream",
      ...(typeof size === "number" && { bytes: size }),
    },
  ];
};

/** The permalink of a message, built without a request to Slack. */
export const permalinkOf = (teamUrl: string, room: string, ts: string, thread: string | undefined): string => {
  const link = `${teamUrl}archives/${room}/p${ts.replace(".", "")}`;
  return thread === undefined || thread === ts ? link : `${link}?thread_ts=${thread}&cid=${room}`;
};

/** Slack's references in "<…>": a mention, a channel, a group, a date, or a link. */
const REFERENCE = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g;

/**
 * The text as its author saw it. Slack escapes exactly three signs, so every other "<" is mark-up.
 * Drops mentions of `self`, the app's own user, because they only address the app.
 */
export const plainText = (text: string, self: string): string =>
  text
    .replace(REFERENCE, (_, sign: string, target: string, label: string | undefined) =>
      sign === "@" && target === self ? "" : shown(sign, target, label),
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .trim();

export const mentions = (text: string, user: string): boolean =>
  text.includes(`<@${user}>`) || text.includes(`<@${user}|`);

const shown = (sign: string, target: string, label: string | undefined): string => {
  if (sign === "@") return `@${label ?? target}`;
  if (sign === "#") return `#${label || target}`;
  if (sign === "!") return label ?? `@${target.replace(/\^.*$/, "")}`;
  const address = target.replace(/^mailto:/, "");
  return label === undefined || label === address || label === target ? address : `${label} (${target})`;
};
