import { z } from "zod";
import { collection, keyOf } from "../contract/collection.ts";

/** Written by compaction only. Entries below `compactedThrough` are in the summary; they are kept all the same. */
export const SessionState = z.looseObject({
  compactedThrough: z.number().int().nonnegative(),
  summary: z.string(),
});
export type SessionState = z.infer<typeof SessionState>;

const states = collection("session-state", SessionState);

export const sessionStateKey = (sessionId: string) => keyOf(states, sessionId);
