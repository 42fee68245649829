import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { LateAnswer } from "../../contract/messages/synthetic.ts";
import { WorkContext } from "../../contract/messages/work-context.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";

/** The record names the call and its headline `callId` and `headline`; `id` is that of the update. */
const { id: _, name: __, ...answer } = LateAnswer.shape;

/** An update that arrived after the asking work had ended. */
const LateItem = z.looseObject({
  ...answer,
  id: z.string(),
  callId: z.string(),
  headline: z.string(),
  ...WorkContext.shape,
  /** The message whose turn reports it. */
  toldBy: z.string().optional(),
});
export type LateItem = z.infer<typeof LateItem>;

/** Late updates that a session has not reported yet. A single key, so that exactly one turn reports each item. */
const LateRecord = z.looseObject({
  items: z.array(LateItem),
  /** Ids of the items that were reported last, to skip redeliveries after a crash. */
  told: z.array(z.string()).optional(),
  /** Time of the last request for a turn about late updates; wall clock, milliseconds. */
  wokenAt: z.number().optional(),
});
type LateRecord = z.infer<typeof LateRecord>;

const EMPTY: LateRecord = { items: [] };

const late = collection("late-answers", LateRecord, { ttlMs: RETENTION_MS });

export type SessionAddress = AgentRef & { readonly sessionId: string };

const lateKey = ({ tenant, agent, sessionId }: SessionAddress) => keyOf(late, tenant, agent, sessionId);

export const readLate = async (store: Store, address: SessionAddress): Promise<LateRecord> =>
  (await store.get(lateKey(address)))?.value ?? EMPTY;

/** Resolves to the stored record; if `change` returns the same object, nothing is written. */
export const changeLate = async (
  store: Store,
  address: SessionAddress,
  change: (record: LateRecord) => LateRecord,
): Promise<LateRecord> => {
  const { after } = await update(store, lateKey(address), change, { initial: EMPTY });
  return after;
};
