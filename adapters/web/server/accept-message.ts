import type { Account } from "../../../core/contract/user-message.ts";
import { saidOf, userMessageOf } from "../inbound.ts";
import type { Command, ErrorCode, Message } from "../protocol.ts";
import type { DialogueParts } from "./dialogue-deps.ts";

export interface Speaker {
  readonly account: Account;
  /** Where an earlier attempt can begin in the log. */
  readonly searchFrom: number;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Stored first, then shown; nothing returned means that it may be acknowledged. A client sends a message again until it
 * has seen it accepted or said, so an earlier attempt, on any gateway, can only be in the log after the place this client
 * resumed from, or a little before it if only the acknowledgement was lost: that part is searched (up to RECENT_ENTRIES
 * back) before a second `said` is appended. Older ids are repeats against the protocol; core still runs their message once.
 */
export const takeMessage = async (
  frame: Message | Command,
  { account, searchFrom }: Speaker,
  { context, files, inbox, rooms }: DialogueParts,
  stored: () => void,
): Promise<Refusal | undefined> => {
  const once = `said:${frame.id}`;
  if (rooms.log(account.id).knows(once)) return undefined;
  const attached = attachedTo(frame);
  const found = attached.length === 0 ? [] : await files.find(account.id, attached);
  const missing = attached.find((_, index) => found[index] === undefined);
  if (missing !== undefined) {
    return { code: "attachment-unknown", message: `${missing}: no such file of yours, or it has expired` };
  }
  const theirs = found.filter((file) => file !== undefined);
  if (theirs.some(({ isAttached }) => !isAttached)) await files.attach(account.id, attached);
  const now = context.clock.now();
  const { channel, tenant, agent } = context;
  const arrival = { channel, tenant, agent, account, now, traceId: context.newId(), files: theirs };
  await inbox.accept(userMessageOf(frame, arrival));
  const entry = { once, at: now, frame: saidOf(frame, now, theirs) };
  await rooms.append(account.id, entry, { afterSeq: searchFrom }, stored);
  return undefined;
};

const attachedTo = (frame: Message | Command): string[] =>
  frame.type === "message" ? (frame.attachments ?? []).map(({ id }) => id) : [];
