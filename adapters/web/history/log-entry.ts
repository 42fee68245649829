import { z } from "zod";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";

/** One entry of a conversation's log, under its `seq`. */
export const LogEntry = z.looseObject({
  /** Idempotency key: the same on every attempt to append the entry. */
  once: z.string(),
  /** Time of the append, in milliseconds since 1970. */
  at: z.number(),
  /** A LoggedFrame. Not parsed further, so that frames of a newer gateway pass through. */
  frame: z.looseObject({ type: z.string() }),
});
export type LogEntry = z.infer<typeof LogEntry>;

/** Lower bound from which `findHead` searches for the log's end. */
export const HeadHint = z.looseObject({
  /** At least this many entries were appended. */
  seq: z.number().int(),
  at: z.number(),
  /** The retention of the entries after it. */
  retentionMs: z.number(),
});
export type HeadHint = z.infer<typeof HeadHint>;

const entries = collection("web-log", LogEntry);
const hints = collection("web-log-head", HeadHint);

export const entryKey = (channel: string, visitor: string, seq: number) =>
  keyOf(entries, channel, visitor, String(seq));
export const headHintKey = (channel: string, visitor: string) => keyOf(hints, channel, visitor);
