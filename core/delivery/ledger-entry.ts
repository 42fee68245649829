import { z } from "zod";
import { type Conversation, conversationKey } from "../contract/messages/conversation.ts";
import { collection, keyOf, prefixOf } from "../contract/ports/store.ts";

/** The text of a stream draft, if only the beginning of the reply was sent. */
const Beginning = z.string().optional();

/**
 * The delivery state of one part of one reply for one target.
 * claimed: about to be sent. A claim that a crash leaves behind means that the platform may have the part.
 * unknown: the platform may have the part.
 * begun: the platform shows a stream draft, which is edited until it is complete.
 * failed: the platform certainly does not have the part.
 * withdrawn: the part is delivered another way, as in a digest, and must not be sent separately.
 */
export const LedgerEntry = z.discriminatedUnion("state", [
  z.looseObject({
    state: z.literal("claimed"),
    at: z.iso.datetime(),
    attempt: z.number().int(),
    /** The time of the first attempt that may have reached the platform. */
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
    /** From this time on only the complete text may replace the draft. */
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

/** The entries of a reply for all its targets. */
export const ledgerOf = (replyId: string) => prefixOf(ledger, replyId);
export const ledgerOfTarget = (replyId: string, target: Conversation) =>
  prefixOf(ledger, replyId, conversationKey(target));
