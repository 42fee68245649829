import { z } from "zod";
import { collection, keyOf } from "../contract/collection.ts";
import { Conversation } from "../contract/conversation.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { AccountAddress } from "./person-record.ts";

/** One of the two accounts, and where it is asked. */
export const LinkSide = z.looseObject({
  channel: z.string(),
  accountId: z.string(),
  name: z.string(),
  agent: z.string(),
  conversation: Conversation,
  confirmed: z.boolean(),
});
export type LinkSide = z.infer<typeof LinkSide>;

/** From a code to a link. Each step is a compare-and-set; the code itself is not stored. */
export const LinkRecord = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  state: z.enum(["offered", "claimed", "linked", "refused", "void"]),
  issuer: LinkSide,
  claimant: LinkSide.optional(),
  /** Of the code, and once it is claimed, of the question to both sides. */
  expiresAt: z.iso.datetime(),
});
export type LinkRecord = z.infer<typeof LinkRecord>;

/** Longer than it is good for, so that somebody who comes late is told why it does not work. */
const KEPT_MS = 60 * 60_000;
const links = collection("links", LinkRecord, { ttlMs: KEPT_MS });
export const linkKey = (tenant: string, linkId: string) => keyOf(links, tenant, linkId);

/** How often an account has asked for codes and tried some, lately. */
export const LinkTries = z.looseObject({
  offersAt: z.array(z.number()),
  claimsAt: z.array(z.number()),
  /** Its codes that may still be open, and the message that asked for them. */
  open: z.looseObject({ messageId: z.string(), linkIds: z.array(z.string()) }).optional(),
});
export type LinkTries = z.infer<typeof LinkTries>;

const tries = collection("link-tries", LinkTries, { ttlMs: KEPT_MS });
export const linkTriesKey = ({ tenant, channel, accountId }: AccountAddress) =>
  keyOf(tries, tenant, channel, accountId);

export const sideOf = ({ agent, conversation, account }: UserMessage): LinkSide => ({
  channel: conversation.channel,
  accountId: account.id,
  name: account.name,
  agent,
  conversation,
  confirmed: false,
});
