import { z } from "zod";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { LastRead } from "../contract/last-read.ts";
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

export const ownerKey = ({ tenant, agent, ownerId }: OwnerAddress) => keyOf(owners, tenant, agent, ownerId);
export const emptyOwner: OwnerRecord = { batches: {}, tallies: {} };

/** Mostly read in the process that wrote it last. */
export const ownersRead = new LastRead<OwnerRecord>();

export const readOwner = async (store: Store, address: OwnerAddress): Promise<OwnerRecord> =>
  (await ownersRead.get(store, ownerKey(address)))?.value ?? emptyOwner;

export const withBatch = (record: OwnerRecord, batch: Batch): OwnerRecord => ({
  ...record,
  batches: { ...record.batches, [batch.turnId]: batch },
});

/** How long what is over is kept, if nobody knows whether all of it was told: repeats of its messages bring that on. */
const KEPT_MS = 3_600_000;
/** How long the limits of one request are counted. */
const TALLY_KEPT_MS = 24 * 3_600_000;
/** Requests whose limits are counted at once; those that were used last. */
const MOST_TALLIES = 16;

/** Without what nobody needs any more. The newest batch stays, so that its owner can look at it. */
export const withoutOld = (
  { batches, tallies, ...rest }: OwnerRecord,
  now: number,
  told: ReadonlySet<string>,
): OwnerRecord => {
  const newest = Object.keys(batches).at(-1);
  const isNeeded = (batch: Batch) =>
    batch.turnId === newest || !isSettled(batch) || (now - (batch.sealedAt ?? now) < KEPT_MS && !isTold(batch, told));
  const used = Object.entries(tallies)
    .filter(([, { usedAt }]) => now - usedAt < TALLY_KEPT_MS)
    .slice(-MOST_TALLIES);
  return {
    ...rest,
    batches: Object.fromEntries(Object.entries(batches).filter(([, batch]) => isNeeded(batch))),
    tallies: Object.fromEntries(used),
  };
};

/** A word of one that reports alone may still wait to be heard, and must then find out whether it was returned. */
const isTold = ({ turnId, members }: Batch, told: ReadonlySet<string>): boolean =>
  told.has(turnId) && members.every(({ reports }) => reports !== "alone");
