import { z } from "zod";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { Conversation } from "../contract/conversation.ts";
import { DeliveryPolicy, QuietHours } from "../contract/delivery-policy.ts";
import { cutAtGraphemes } from "../lib/index.ts";

/** A person's account on a channel. */
export const PersonAccount = z.looseObject({
  channel: z.string(),
  accountId: z.string(),
  name: z.string(),
  /** The time at which it became this person's. */
  since: z.iso.datetime(),
  /** The person's `membership` at which it joined; results of earlier work never reach it (D3). */
  joined: z.number().int().nonnegative(),
  /** The link that brought it here. */
  linkId: z.string().optional(),
  /** The link is not sealed yet: a concurrent link may still move the account. */
  pending: z.boolean().optional(),
  /** Declared in the configuration, so `unlink` does not remove it. */
  declared: z.boolean().optional(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
});
export type PersonAccount = z.infer<typeof PersonAccount>;

/** A private conversation that the person has written in: one per room, with the thread of the last message. */
export const Surface = z.looseObject({
  conversation: Conversation,
  channel: z.string(),
  accountId: z.string(),
  /** The agent in that conversation. */
  agent: z.string(),
  since: z.iso.datetime(),
});
export type Surface = z.infer<typeof Surface>;

/** The human behind one or more accounts. Written by compare-and-set only. */
export const PersonRecord = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  name: z.string().optional(),
  /** Increases with every account that joins or leaves. Orders work and links without relying on clocks. */
  membership: z.number().int().nonnegative(),
  accounts: z.array(PersonAccount),
  surfaces: z.array(Surface),
  /** The key of the private conversation with the latest message. */
  lastActive: z.string().optional(),
  policy: DeliveryPolicy.optional(),
  quiet: z.union([z.literal("off"), QuietHours]).optional(),
});
export type PersonRecord = z.infer<typeof PersonRecord>;

const people = collection("people", PersonRecord);
export const personKey = (tenant: string, personId: string) => keyOf(people, tenant, personId);
export const peopleOf = (tenant: string) => prefixOf(people, tenant);

/**
 * The index entry that assigns an account to a person. It is effective only if the person's record lists the account
 * too, and vice versa: writing or deleting this key links or unlinks the account atomically.
 */
const AccountRecord = z.looseObject({ personId: z.string() });

export interface AccountAddress {
  readonly tenant: string;
  readonly channel: string;
  readonly accountId: string;
}

const accounts = collection("accounts", AccountRecord);
export const accountKey = ({ tenant, channel, accountId }: AccountAddress) =>
  keyOf(accounts, tenant, channel, accountId);

type Named = Pick<PersonAccount, "name" | "channel">;

/** An account as text for other people. Names come from platforms, so markup and punctuation are removed. */
export const showAccount = ({ name, channel }: Named): string => `“${plain(name) || "somebody"}” on ${channel}`;

export const showAccounts = (accounts: readonly Named[]): string => {
  const shown = accounts.map(showAccount);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
};

const plain = (name: string): string => cutAtGraphemes(name.replace(/[^\p{L}\p{M}\p{N}.'-]+/gu, " ").trim(), 40);
