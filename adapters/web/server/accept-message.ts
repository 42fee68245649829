import type { Account, QuotedMessage } from "../../../core/contract/messages/user-message.ts";
import { findQuoted } from "../history/find-quoted.ts";
import { loggedMessageOf, userMessageOf } from "../inbound.ts";
import type { Command, ErrorCode, Message } from "../protocol.ts";
import type { DialogueDeps } from "./dialogue-deps.ts";
import type { OpenRooms } from "./open-rooms.ts";

export interface Speaker {
  readonly account: Account;
  /** The `seq` after which an earlier attempt can be in the log. */
  readonly searchFrom: number;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Publishes the message, then appends it to the log. Returns undefined if the message may be acknowledged. A client
 * retries until it sees `accepted` or `said`. An earlier attempt, on any gateway, is therefore in the log after the `seq`
 * from which the client resumed, or shortly before it if only the acknowledgement was lost. The append searches that part
 * (up to RECENT_ENTRIES back) for a duplicate. Older duplicates violate the protocol; core deduplicates them by id.
 */
export const acceptMessage = async (
  frame: Message | Command,
  { account, searchFrom }: Speaker,
  { context, files, inbox, rooms }: DialogueDeps,
  stored: () => void,
): Promise<Refusal | undefined> => {
  const once = `said:${frame.id}`;
  if (rooms.log(account.id).knows(once)) return undefined;
  const attached = attachedTo(frame);
  const found = attached.length === 0 ? [] : await files.find(account.id, attached);
  const missing = attached.find((_, index) => found[index] === undefined);
  if (missing !== undefined) {
    return { code: "attachment-unknown", message: `${missing}: you have no such file, or it has expired` };
  }
  const uploaded = found.filter((file) => file !== undefined);
  if (uploaded.some(({ isAttached }) => !isAttached)) await files.attach(account.id, attached);
  const now = context.clock.now();
  const { channel, tenant, agent } = context;
  const quoted = await quotedBy(frame, account, rooms);
  const arrival = { channel, tenant, agent, account, now, traceId: context.newId(), files: uploaded, quoted };
  if ((await inbox.accept(userMessageOf(frame, arrival))) === "ignored") return undefined;
  const entry = { once, at: now, frame: loggedMessageOf(frame, now, uploaded) };
  await rooms.append(account.id, entry, { afterSeq: searchFrom }, stored);
  return undefined;
};

/** A message without the quote is better than none, so a failed read is not an error. */
const quotedBy = async (
  frame: Message | Command,
  { id: visitor }: Account,
  rooms: OpenRooms,
): Promise<QuotedMessage | undefined> => {
  if (frame.type !== "message" || frame.replyTo === undefined) return undefined;
  const log = rooms.log(visitor);
  try {
    return await findQuoted(log, rooms.find(visitor)?.head ?? (await log.head()), frame.replyTo);
  } catch {
    return undefined;
  }
};

const attachedTo = (frame: Message | Command): string[] =>
  frame.type === "message" ? (frame.attachments ?? []).map(({ id }) => id) : [];
