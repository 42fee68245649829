import { z } from "zod";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import type { Conversation } from "../contract/conversation.ts";
import { conversationKey } from "../contract/conversation.ts";

/** What was sent is only how it begins: this text. */
const Beginning = z.string().optional();

/**
 * What is known about one part of one reply for one target.
 * claimed: about to be sent. Found later without an end, the platform may have it.
 * unknown: the platform may have it.
 * begun: the platform shows how it begins, in a message that is edited until it is whole.
 * failed: the platform certainly does not have it.
 * withdrawn: it goes another way, as in a digest, and is never to be sent by itself.
 */
export const LedgerEntry = z.discriminatedUnion("state", [
  z.looseObject({
    state: z.literal("claimed"),
    at: z.iso.datetime(),
    attempt: z.number().int(),
    /** When the first attempt was made that may have reached the platform. */
    maybeSentAt: z.iso.datetime(),
    beginning: Beginning,
  }),
  z.looseObject({ state: z.literal("accepted"), at: z.iso.datetime(), messageId: z.string() }),
  z.looseObject({
    state: z.literal("unknown"),
    at: z.iso.datetime(),
    maybeSentAt: z.iso.datetime(),
    reason: z.string(),
    beginning: Beginning,
  }),
  z.looseObject({
    state: z.literal("begun"),
    at: z.iso.datetime(),
    messageId: z.string(),
    /** From then on only the whole may be put in its place. */
    closedAt: z.iso.datetime().optional(),
  }),
  z.looseObject({ state: z.literal("failed"), at: z.iso.datetime(), reason: z.string() }),
  z.looseObject({ state: z.literal("withdrawn"), at: z.iso.datetime() }),
]);
export type LedgerEntry = z.infer<typeof LedgerEntry>;

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const ledger = collection("ledger", LedgerEntry, { ttlMs: THIRTY_DAYS_MS });

export const ledgerKey = (replyId: string, target: Conversation, part: number) =>
  keyOf(ledger, replyId, conversationKey(target), String(part));

/** All that is known about where a reply went. */
export const ledgerOf = (replyId: string) => prefixOf(ledger, replyId);
export const ledgerOfTarget = (replyId: string, target: Conversation) =>
  prefixOf(ledger, replyId, conversationKey(target));
