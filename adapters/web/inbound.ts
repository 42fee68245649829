import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import type {
  Account,
  Attachment,
  CommandLine,
  FromPerson,
  QuotedMessage,
} from "../../core/contract/messages/user-message.ts";
import { isoTime } from "../../core/contract/ports/clock.ts";
import { kindFor, textCommand } from "../contract/text-command.ts";
import type { StoredFile } from "./files/file-record.ts";
import { type Identity, isAnonymous } from "./identity/visitor-token.ts";
import type { Command, Hello, LoggedFrame, Message } from "./protocol.ts";

export interface Arrival extends AgentRef {
  readonly channel: string;
  readonly account: Account;
  /** Absent: the main conversation. */
  readonly thread?: string | undefined;
  readonly now: number;
  readonly traceId: string;
  /** Files that the message attaches. */
  readonly files: readonly StoredFile[];
  /** The message that it replies to. */
  readonly quoted?: QuotedMessage | undefined;
}

/** The visitor as an account. Time zones and locales that Node does not know are dropped. */
export const accountOf = (identity: Identity, { timeZone, locale }: Hello, device: string): Account => ({
  id: identity.visitor,
  name: identity.name ?? "Visitor",
  ...(isAnonymous(identity) && { anonymous: true, device }),
  ...(timeZone !== undefined && isTimeZone(timeZone) && { timeZone }),
  ...(locale !== undefined && isLocale(locale) && { locale }),
});

/** The client's id becomes part of the message id, so a duplicate is recognised on any socket. */
export const userMessageOf = (frame: Message | Command, arrival: Arrival): FromPerson => {
  const { channel, tenant, agent, account, thread, now, traceId, files, quoted } = arrival;
  const prefix = messageIdPrefix(channel, account.id);
  const revised = revisedBy(frame);
  const command = commandOf(frame);
  return {
    id: `${prefix}${frame.id}`,
    tenant,
    agent,
    conversation: { channel, room: account.id, ...(thread !== undefined && { thread }), kind: "private" },
    account,
    text: textOf(frame),
    attachments: files.map((file) => ({ ...attachmentOf(file), id: `${account.id}/${file.id}`, counted: true })),
    ...(frame.replyTo !== undefined && { replyTo: frame.replyTo }),
    messageId: frame.id,
    sentAt: isoTime(now),
    traceId,
    ...(revised !== undefined && { revises: `${prefix}${revised}` }),
    ...(quoted !== undefined && command === undefined && { quoted }),
    ...kindFor(command),
  };
};

/** The log entry that shows the message in every tab of the visitor. */
export const loggedMessageOf = (frame: Message | Command, now: number, files: readonly StoredFile[]): LoggedFrame => {
  const command = commandOf(frame);
  const revised = revisedBy(frame);
  return {
    type: "said",
    id: frame.id,
    text: textOf(frame),
    ...(frame.replyTo !== undefined && { replyTo: frame.replyTo }),
    ...(revised !== undefined && { revises: revised }),
    ...(command && { command }),
    ...(files.length > 0 && { attachments: files.map(attachmentOf) }),
    createdAt: isoTime(now),
  };
};

/** A command replaces nothing. */
const revisedBy = (frame: Message | Command): string | undefined =>
  frame.type === "message" && commandOf(frame) === undefined ? frame.revises : undefined;

const attachmentOf = ({ id, name, mediaType, bytes }: StoredFile): Attachment => ({ id, name, mediaType, bytes });

/** Splits an attachment id of this channel into its visitor and file id. */
export const fileOf = ({ id }: Attachment): { visitor: string; fileId: string } => {
  const at = id.lastIndexOf("/");
  return { visitor: id.slice(0, Math.max(0, at)), fileId: id.slice(at + 1) };
};

/** The client's id of the message that a reply answers, if this visitor sent it. */
export const clientIdOf = (correlationId: string, channel: string, visitor: string): string | undefined => {
  const prefix = messageIdPrefix(channel, visitor);
  return correlationId.startsWith(prefix) ? correlationId.slice(prefix.length) : undefined;
};

/** Visitor ids of host pages may contain colons, so the id is encoded. */
export const messageIdPrefix = (channel: string, visitor: string): string =>
  `${channel}:${encodeURIComponent(visitor)}:`;

const commandOf = (frame: Message | Command): CommandLine | undefined =>
  frame.type === "command" ? { name: frame.name, args: wellFormed(frame.args ?? "") } : textCommand(textOf(frame));

/** A message as text, also a command. */
export const textOf = (frame: Message | Command): string =>
  frame.type === "message" ? wellFormed(frame.text) : wellFormed(`/${frame.name} ${frame.args ?? ""}`.trimEnd());

/** Replaces lone surrogates, which UTF-8 cannot encode. */
const wellFormed = (text: string): string => text.toWellFormed();

const isTimeZone = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
};

const isLocale = (locale: string): boolean => {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
};
