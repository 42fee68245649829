import { hash, randomInt } from "node:crypto";
import { z } from "zod";
import { Conversation } from "../../contract/messages/conversation.ts";
import type { UserMessage } from "../../contract/messages/user-message.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import type { AccountAddress } from "../person-record.ts";

/** Without characters that look alike. Ten of them are 49 bits, too many to guess in ten minutes. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 10;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
const SPELLED = new RegExp(`(?<![\\p{L}\\p{N}])[${ALPHABET}]{5}[-\\s]?[${ALPHABET}]{5}(?![\\p{L}\\p{N}])`, "giu");

export const newLinkCode = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** The code as people read it, in two groups. */
export const spellCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/** Normalises typed input; undefined if it cannot be a code. */
export const readCode = (typed: string): string | undefined => {
  const code = typed.replace(/[\s`-]/g, "").toUpperCase();
  return CODE.test(code) ? code : undefined;
};

/** All possible codes in a text. */
export const codesIn = (text: string): string[] =>
  [...text.matchAll(SPELLED)].flatMap(([spelled]) => readCode(spelled) ?? []);

/** The id of the link, a hash that is stored instead of the code. */
export const linkIdOf = (tenant: string, code: string): string =>
  hash("sha256", JSON.stringify([tenant, code]), "hex").slice(0, 16);

/** One of the two accounts, and the conversation in which it confirms. */
export const LinkSide = z.looseObject({
  channel: z.string(),
  accountId: z.string(),
  name: z.string(),
  agent: z.string(),
  conversation: Conversation,
  confirmed: z.boolean(),
  /** The channel cannot say whose account it is; the device then helps the person to recognise it. */
  anonymous: z.boolean().optional(),
  device: z.string().optional(),
});
export type LinkSide = z.infer<typeof LinkSide>;

/** A link from its code to its completion. Each step is a compare-and-set; the code itself is not stored. */
export const LinkRecord = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  state: z.enum(["offered", "claimed", "linked", "refused", "void"]),
  issuer: LinkSide,
  claimant: LinkSide.optional(),
  /** The expiry of the code; once it is claimed, the expiry of the confirmation. */
  expiresAt: z.iso.datetime(),
  /** The message with the second confirmation; its repeats notify again, other confirmations do not. */
  completedBy: z.string().optional(),
});
export type LinkRecord = z.infer<typeof LinkRecord>;

/** Longer than a code is valid, so that a late claim gets the reason for its failure. */
const RECORD_TTL_MS = 60 * 60_000;
const links = collection("links", LinkRecord, { ttlMs: RECORD_TTL_MS });
export const linkKey = (tenant: string, linkId: string) => keyOf(links, tenant, linkId);

/** Recent code requests and claims of an account, for the rate limit. */
const LinkAttempts = z.looseObject({
  offersAt: z.array(z.number()),
  claimsAt: z.array(z.number()),
  /** The account's codes that may still be valid, and the message that asked for them. */
  open: z.looseObject({ messageId: z.string(), linkIds: z.array(z.string()) }).optional(),
});
type LinkAttempts = z.infer<typeof LinkAttempts>;

const NO_ATTEMPTS: LinkAttempts = { offersAt: [], claimsAt: [] };

const attempts = collection("link-tries", LinkAttempts, { ttlMs: RECORD_TTL_MS });
const linkAttemptsKey = ({ tenant, channel, accountId }: AccountAddress) => keyOf(attempts, tenant, channel, accountId);

export const sideOf = ({ agent, conversation, account }: UserMessage): LinkSide => ({
  channel: conversation.channel,
  accountId: account.id,
  name: account.name,
  agent,
  conversation,
  confirmed: false,
  ...(account.anonymous && { anonymous: true }),
  ...(account.device !== undefined && { device: account.device }),
});

/** Updates a link by compare-and-set; writes nothing if `change` returns the same object. Undefined: no such link. */
export const changeLink = async (
  store: Store,
  { tenant, linkId }: { tenant: string; linkId: string },
  change: (link: LinkRecord) => LinkRecord,
): Promise<LinkRecord | undefined> => {
  const { after } = await update(store, linkKey(tenant, linkId), (link) => link && change(link));
  return after;
};

/** Rate limit of code requests and of claims, each per account. */
const WINDOW_MS = 10 * 60_000;
const MAX_ATTEMPTS = 5;

/** Counts a code request or a claim before any lookup. False: the account has reached its rate limit. */
export const takeAttempt = async (
  store: Store,
  address: AccountAddress,
  what: "offersAt" | "claimsAt",
  now: number,
): Promise<boolean> => {
  let isAllowed = false;
  await changeAttempts(store, address, (tries) => {
    const recent = tries[what].filter((at) => now - at < WINDOW_MS);
    isAllowed = recent.length < MAX_ATTEMPTS;
    return isAllowed ? { ...tries, [what]: [...recent, now] } : tries;
  });
  return isAllowed;
};

/** Updates the counters by compare-and-set and returns their previous value. */
export const changeAttempts = async (
  store: Store,
  address: AccountAddress,
  change: (tries: LinkAttempts) => LinkAttempts,
): Promise<LinkAttempts> => {
  const { before } = await update(store, linkAttemptsKey(address), change, { initial: NO_ATTEMPTS });
  return before;
};
