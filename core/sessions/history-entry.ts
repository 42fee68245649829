import { z } from "zod";
import { collection, keyOf } from "../contract/collection.ts";
import { ReplyOrigin } from "../contract/reply-origin.ts";
import { ChatMessage } from "../model/index.ts";

/** A turn that has ended. It is also the journal of the turn's last model response. */
export const TurnEntry = z.looseObject({
  kind: z.literal("turn"),
  turnId: z.string(),
  at: z.iso.datetime(),
  /** What the person said, as the model is shown it. */
  text: z.string(),
  /** Tool calls and their results on the way to the answer. */
  messages: z.array(ChatMessage),
  /** What the person was told at the end; empty for silence. */
  finalText: z.string(),
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]),
  /** It left work to others: its batch is to be sealed. */
  delegated: z.boolean().optional(),
  /** People are not told: the answer of its batch follows. */
  suppressed: z.boolean().optional(),
  /** The model had no answer; the results were shown as they were. */
  degraded: z.boolean().optional(),
});
export type TurnEntry = z.infer<typeof TurnEntry>;

/** Something that was shown in the conversation without being asked for there (O15). */
export const SaidEntry = z.looseObject({
  kind: z.literal("said"),
  replyId: z.string(),
  at: z.iso.datetime(),
  markdown: z.string(),
  origin: ReplyOrigin.nullable(),
});
export type SaidEntry = z.infer<typeof SaidEntry>;

export const HistoryEntry = z.discriminatedUnion("kind", [TurnEntry, SaidEntry]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const history = collection("history", HistoryEntry);

/** Entries are numbered from 0 without a gap and never change. */
export const historyKey = (sessionId: string, index: number) =>
  keyOf(history, sessionId, String(index).padStart(8, "0"));
