import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { Conversation } from "../contract/conversation.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import { askingAccount } from "./asking-account.ts";

/** A delivery that was given up, for the people and operators who can do something about it (D6). */
export const Undelivered = z.looseObject({
  /** In the order of time, the newest first. */
  id: z.string(),
  tenant: z.string(),
  channel: z.string(),
  /** Where its dead letter is. */
  letter: z.looseObject({ durable: z.string(), id: z.string() }),
  target: Conversation,
  audience: Audience,
  origin: ReplyOrigin.nullable(),
  /** How it begins. */
  excerpt: z.string(),
  /** `<kind of failure>: <why>` */
  reason: z.string(),
  deadAt: z.iso.datetime(),
  /** Somebody is doing something about it. */
  taken: z.looseObject({ by: z.string(), at: z.iso.datetime() }).optional(),
});
export type Undelivered = z.infer<typeof Undelivered>;

/** Whose it is: an entry of the index, without which all of a channel would have to be read. */
const Pointer = z.looseObject({ channel: z.string() });

const undelivered = collection("undelivered", Undelivered);
const pointers = collection("undelivered-of", Pointer);

export interface UndeliveredAddress {
  readonly tenant: string;
  readonly channel: string;
  readonly id: string;
}

export const undeliveredKey = ({ tenant, channel, id }: UndeliveredAddress) => keyOf(undelivered, tenant, channel, id);
export const undeliveredOn = (tenant: string, channel: string) => prefixOf(undelivered, tenant, channel);

/** Who can be told of it: the account that asked, or the person if no account did. */
export type Addressee = readonly ["account", channel: string, accountId: string] | readonly ["person", string];

export const addresseeOf = (audience: Audience): Addressee | undefined => {
  const { personId } = audience;
  const asker = askingAccount(audience);
  if (asker !== undefined) return ["account", asker.channel, asker.accountId];
  return personId === null ? undefined : ["person", personId];
};

export const pointerKey = (tenant: string, addressee: Addressee, id: string) =>
  keyOf(pointers, tenant, ...addressee, id);
export const pointersOf = (tenant: string, addressee: Addressee) => prefixOf(pointers, tenant, ...addressee);
