import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";
import { Inherited } from "../turns/index.ts";

/** Something that came too late for whoever asked for it. */
export const LateItem = z.looseObject({
  id: z.string(),
  callId: z.string(),
  kind: z.enum(["result", "error", "input-required"]),
  /** In the session's working memory. */
  key: z.string(),
  /** False if the memory would not take it: then it is told from the call's own record, or from here. */
  isKept: z.boolean(),
  words: z.string().optional(),
  peer: z.string(),
  headline: z.string(),
  /** The name of the subtask that asked; absent if the session itself did. */
  subtask: z.string().optional(),
  ...Inherited.shape,
  /** The message whose turn tells of it. */
  toldBy: z.string().optional(),
});
export type LateItem = z.infer<typeof LateItem>;

/** What a session has not been told yet. One key, so that each item is told by one turn. */
const LateRecord = z.looseObject({
  items: z.array(LateItem),
  /** What it was told last, by the items' ids: whoever brings one again may have died over it. */
  told: z.array(z.string()).optional(),
  /** When its last turn about late things was asked for; wall clock, milliseconds. */
  wokenAt: z.number().optional(),
});
export type LateRecord = z.infer<typeof LateRecord>;

const late = collection("late-answers", LateRecord, { ttlMs: RETENTION_MS });

export interface SessionAddress {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
}

const lateKey = ({ tenant, agent, sessionId }: SessionAddress) => keyOf(late, tenant, agent, sessionId);

export const readLate = async (store: Store, address: SessionAddress): Promise<LateRecord> =>
  (await store.get(lateKey(address)))?.value ?? { items: [] };

/** The same record back: nothing to write. */
export const changeLate = async (
  store: Store,
  address: SessionAddress,
  change: (record: LateRecord) => LateRecord,
): Promise<LateRecord> => {
  for (;;) {
    const stored = await store.get(lateKey(address));
    const before = stored?.value ?? { items: [] };
    const after = change(before);
    if (after === before) return before;
    try {
      await store.put(lateKey(address), after, { ifRevision: stored?.revision ?? 0 });
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};
