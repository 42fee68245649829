import { z } from "zod";
import { RevisionConflict } from "../contract/app-error.ts";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";
import type { Store } from "../contract/store.ts";
import { Batch, isSettled } from "./batch.ts";

/** What a turn has used up, with its continuations (S9). */
const Tally = z.looseObject({
  spawned: z.int(),
  /** Continuations that delegated again. */
  respawns: z.array(z.string()),
  usedAt: z.number(),
});

/**
 * Everything one owner has delegated. One key, so that limits, membership and the gate are one compare-and-set:
 * what is refused was never counted, and what fires fires once.
 */
export const OwnerRecord = z.looseObject({
  /** By the turn that delegated. */
  batches: z.record(z.string(), Batch),
  /** By the turn that began it all. */
  tallies: z.record(z.string(), Tally),
});
export type OwnerRecord = z.infer<typeof OwnerRecord>;

const owners = collection("subtask-owners", OwnerRecord, { ttlMs: RETENTION_MS });

export interface OwnerAddress {
  readonly tenant: string;
  readonly agent: string;
  readonly ownerId: string;
}

const ownerKey = ({ tenant, agent, ownerId }: OwnerAddress) => keyOf(owners, tenant, agent, ownerId);
const nothing: OwnerRecord = { batches: {}, tallies: {} };

export const readOwner = async (store: Store, address: OwnerAddress): Promise<OwnerRecord> =>
  (await store.get(ownerKey(address)))?.value ?? nothing;

/** Changes the record by compare-and-set. The change may be asked several times; the same record back: nothing to write. */
export const changeOwner = async (
  store: Store,
  address: OwnerAddress,
  now: number,
  change: (record: OwnerRecord) => OwnerRecord,
): Promise<{ before: OwnerRecord; after: OwnerRecord }> => {
  for (;;) {
    const stored = await store.get(ownerKey(address));
    const before = stored?.value ?? nothing;
    const after = change(before);
    if (after === before) return { before, after };
    try {
      await store.put(ownerKey(address), withoutOld(after, now), { ifRevision: stored?.revision ?? 0 });
      return { before, after };
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

export const withBatch = (record: OwnerRecord, batch: Batch): OwnerRecord => ({
  ...record,
  batches: { ...record.batches, [batch.turnId]: batch },
});

/** How long what is over is kept: repeats of its messages are recognised meanwhile. */
const KEPT_MS = 3_600_000;
/** How long the limits of one request are counted. */
const TALLY_KEPT_MS = 24 * 3_600_000;

const withoutOld = ({ batches, tallies, ...rest }: OwnerRecord, now: number): OwnerRecord => ({
  ...rest,
  batches: pick(batches, (batch) => !isSettled(batch) || now - (batch.sealedAt ?? now) < KEPT_MS),
  tallies: pick(tallies, ({ usedAt }) => now - usedAt < TALLY_KEPT_MS),
});

const pick = <T>(record: Record<string, T>, keep: (value: T) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => keep(value)));
