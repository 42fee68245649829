import { z } from "zod";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { Conversation } from "../contract/conversation.ts";
import { DeliveryPolicy, QuietHours } from "../contract/delivery-policy.ts";

/** A person's account on a channel. */
export const PersonAccount = z.looseObject({
  channel: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** When it became this person's. */
  since: z.iso.datetime(),
  /** The person's `membership` from which on it counts: work that began earlier never reaches it (D3). */
  joined: z.number().int().nonnegative(),
  /** The link that brought it here. */
  linkId: z.string().optional(),
  /** That link is not sealed yet: another one may still take the account along. */
  pending: z.boolean().optional(),
  /** The configuration says so: it cannot be unlinked in chat. */
  declared: z.boolean().optional(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type PersonAccount = z.infer<typeof PersonAccount>;

/** A private conversation that the person has written in: one per room, where they wrote last. */
export const Surface = z.looseObject({
  conversation: Conversation,
  channel: z.string(),
  accountId: z.string(),
  /** Who the person talks to there. */
  agent: z.string(),
  since: z.iso.datetime(),
});
export type Surface = z.infer<typeof Surface>;

/** The human behind one or more accounts. Changed by compare-and-set only. */
export const PersonRecord = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  name: z.string().optional(),
  /** Grows with every account that comes or goes. No clock tells what was before a link, and what after it. */
  membership: z.number().int().nonnegative(),
  accounts: z.array(PersonAccount),
  surfaces: z.array(Surface),
  /** The key of the private conversation that was written in last. */
  lastActive: z.string().optional(),
  policy: DeliveryPolicy.optional(),
  quiet: z.union([z.literal("off"), QuietHours]).optional(),
});
export type PersonRecord = z.infer<typeof PersonRecord>;

const people = collection("people", PersonRecord);
export const personKey = (tenant: string, personId: string) => keyOf(people, tenant, personId);
export const peopleOf = (tenant: string) => prefixOf(people, tenant);

/**
 * Whose an account is. It counts only if the person's record lists the account too, and the other way round: writing
 * or deleting this key is the one moment at which an account is linked or unlinked. Without it, it is its own.
 */
export const AccountRecord = z.looseObject({ personId: z.string() });
export type AccountRecord = z.infer<typeof AccountRecord>;

export interface AccountAddress {
  readonly tenant: string;
  readonly channel: string;
  readonly accountId: string;
}

const accounts = collection("accounts", AccountRecord);
export const accountKey = ({ tenant, channel, accountId }: AccountAddress) =>
  keyOf(accounts, tenant, channel, accountId);
