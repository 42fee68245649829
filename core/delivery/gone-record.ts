import { z } from "zod";
import { Audience } from "../contract/agent-reply.ts";
import { RevisionConflict } from "../contract/app-error.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { conversationKey } from "../contract/conversation.ts";
import type { Store } from "../contract/store.ts";
import { stableId } from "../lib/index.ts";
import type { GoneMatter } from "./gone-matter.ts";

/** That something was reported: whoever comes second says the same, or nothing. */
const GoneRecord = z.looseObject({
  /** What could not be delivered. */
  cause: z.string(),
  /** Who is told; null: there is nobody. */
  audience: Audience.nullable(),
  markdown: z.string(),
  at: z.iso.datetime(),
});
export type GoneRecord = z.infer<typeof GoneRecord>;

/** A schedule that runs every minute is not to be reported every minute. */
const TOLD_AGAIN_MS = 7 * 24 * 3_600_000;
const records = collection("gone-reports", GoneRecord, { ttlMs: TOLD_AGAIN_MS });

const recordKey = (tenant: string, agent: string, { id, title, tried }: GoneMatter) =>
  keyOf(records, tenant, agent, stableId("gone", id ?? title, ...tried.map(conversationKey)));

/** The first word about a schedule and its place within a week counts. */
export const settleGone = async (
  store: Store,
  { tenant, agent }: { readonly tenant: string; readonly agent: string },
  matter: GoneMatter,
  decide: () => Promise<GoneRecord>,
): Promise<GoneRecord> => {
  const key = recordKey(tenant, agent, matter);
  const known = await store.get(key);
  if (known !== undefined) return known.value;
  const record = await decide();
  try {
    await store.put(key, record, { ifRevision: 0 });
    return record;
  } catch (error) {
    const first = error instanceof RevisionConflict ? await store.get(key) : undefined;
    if (first === undefined) throw error;
    return first.value;
  }
};
