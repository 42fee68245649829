import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";
import { sameConversation, sameRoom } from "../contract/conversation.ts";
import { listed, type PersonRecord, type Surface, sameAccount } from "../people/index.ts";
import { askingAccount } from "./asking-account.ts";

export type Shown = Pick<AgentReply, "audience" | "onlyFor">;

/** Whether a channel's access lets a conversation, and in private its account, be written to today (I2). */
export type Admits = (conversation: Conversation, accountId: string | undefined) => boolean;

/** Whether a reply may be seen in a conversation, by whose it is and by the channel's access (D3). */
export const mayShow = (
  reply: Shown,
  target: Conversation,
  person: PersonRecord | undefined,
  admits: Admits,
): boolean => {
  const seen = seenBy(reply, target, person);
  return seen !== undefined && admits(target, seen.accountId);
};

/** Whoever sees a reply in a conversation: in private, an account. */
export interface Reader {
  readonly accountId: string | undefined;
}

/**
 * Who sees a reply in a conversation, if anybody may: the one place that decides it (D3). `person` is who the asker's
 * account belongs to today. Everybody in a conversation sees what began there. Anywhere else it is seen only in a
 * private conversation of an account that was the asker's when the work began, and still is.
 */
export const seenBy = (reply: Shown, target: Conversation, person: PersonRecord | undefined): Reader | undefined => {
  const { conversation, accountId, askedBy } = reply.audience;
  if (askedBy === undefined && sameConversation(target, conversation)) return { accountId };
  const surface = person && surfaceAt(person, target);
  return surface && isTheAskers(reply, person, surface) ? { accountId: surface.accountId } : undefined;
};

/** The person's surface at a conversation; none at a shared one. */
const surfaceAt = ({ surfaces }: PersonRecord, target: Conversation): Surface | undefined =>
  target.kind === "private" ? surfaces.find(({ conversation }) => sameRoom(conversation, target)) : undefined;

const isTheAskers = ({ audience, onlyFor }: Shown, person: PersonRecord, surface: Surface): boolean => {
  const { personId, membership } = audience;
  const asker = askingAccount(audience);
  if (asker && sameAccount(surface, asker)) return true;
  // The answer to a private command is for the account that gave it.
  if (onlyFor !== undefined || person.id !== personId || membership === undefined) return false;
  // Neither may have left since, not even to come back.
  return [surface, ...(asker ? [asker] : [])].every((one) => (listed(person, one)?.joined ?? Infinity) <= membership);
};
