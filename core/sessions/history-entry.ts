import { z } from "zod";
import { ReplyAction } from "../contract/messages/agent-reply.ts";
import { ReplyOrigin } from "../contract/messages/work-context.ts";
import { collection, keyOf } from "../contract/ports/store.ts";
import { ChatMessage } from "../model/index.ts";

/** A turn that has ended. It is also the journal of the turn's last model response. */
export const TurnEntry = z.looseObject({
  kind: z.literal("turn"),
  turnId: z.string(),
  at: z.iso.datetime(),
  /** The prompt, in the form that the model reads. */
  text: z.string(),
  /** Tool calls and their results before the answer. */
  messages: z.array(ChatMessage),
  /** The answer; empty for silence. */
  finalText: z.string(),
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]),
  /** The turn delegated work: its batch must be sealed. */
  delegated: z.boolean().optional(),
  /** Not delivered: the answer of the batch follows. */
  suppressed: z.boolean().optional(),
  /** The model failed, so people got the raw results. */
  degraded: z.boolean().optional(),
  /** Buttons of the answer. */
  actions: z.array(ReplyAction).optional(),
});
export type TurnEntry = z.infer<typeof TurnEntry>;

/** A proactive message that the conversation has shown (O15). */
export const ReplyEntry = z.looseObject({
  kind: z.literal("said"),
  replyId: z.string(),
  at: z.iso.datetime(),
  markdown: z.string(),
  origin: ReplyOrigin.nullable(),
});
export type ReplyEntry = z.infer<typeof ReplyEntry>;

export const HistoryEntry = z.discriminatedUnion("kind", [TurnEntry, ReplyEntry]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;

const history = collection("history", HistoryEntry);

/** Entries are numbered from 0 without a gap and never change. */
export const historyKey = (sessionId: string, index: number) =>
  keyOf(history, sessionId, String(index).padStart(8, "0"));

/** Below the store's limit, with room for fields that a later version adds. */
const MAX_ENTRY_BYTES = 400_000;
const SHORTENED_OUTPUT_CHARS = 1_000;
const SHORTENED_TEXT_CHARS = 20_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Shortens the entry as little as possible to fit the store. The final text never changes. */
export const fitEntry = (entry: TurnEntry): TurnEntry => {
  if (surelyFits(entry)) return entry;
  const shorten: readonly ((entry: TurnEntry) => TurnEntry)[] = [
    (whole) => whole,
    (long) => ({ ...long, messages: long.messages.map(withShortOutputs) }),
    (long) => ({ ...long, messages: [] }),
    (long) => ({ ...long, text: cut(long.text, SHORTENED_TEXT_CHARS) }),
  ];
  let fitted = entry;
  for (const step of shorten) {
    fitted = step(fitted);
    if (bytesOf(fitted) <= MAX_ENTRY_BYTES) break;
  }
  return fitted;
};

/** Cheap upper bound: JSON needs at most 6 bytes for a UTF-16 unit. */
const surelyFits = ({ text, finalText, messages }: TurnEntry): boolean =>
  messages.length === 0 && (text.length + finalText.length) * 6 < MAX_ENTRY_BYTES / 2;

const withShortOutputs = (message: ChatMessage): ChatMessage =>
  message.role === "tool"
    ? {
        ...message,
        results: message.results.map((result) => ({ ...result, output: cut(result.output, SHORTENED_OUTPUT_CHARS) })),
      }
    : message;

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max)}\n[${text.length - max} more characters were dropped]`;
