import { z } from "zod";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import type { RoomAddress } from "./room-address.ts";

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

/** The parts of a key after the channel: a conversation beside the main one has one more. */
const partsOf = ({ visitor, thread }: RoomAddress): string[] => (thread === undefined ? [visitor] : [visitor, thread]);

export const entryKey = (channel: string, room: RoomAddress, seq: number) =>
  keyOf(entries, channel, ...partsOf(room), String(seq));
export const headHintKey = (channel: string, room: RoomAddress) => keyOf(hints, channel, ...partsOf(room));
