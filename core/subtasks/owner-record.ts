import { z } from "zod";
import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf } from "../contract/collection.ts";
import { LastRead } from "../contract/last-read.ts";
import type { Store } from "../contract/store.ts";
import { Batch, isSettled } from "./batch.ts";

/** What a turn has used up, with its continuations (S9). */
const Tally = z.looseObject({
  /** The turn that began it all, by as much of its id as tells it from the others: this is written often. */
  root: z.string(),
  spawned: z.int(),
  /** Continuations that delegated again. */
  respawns: z.array(z.string()).optional(),
});
type Tally = z.infer<typeof Tally>;

/**
 * Everything one owner has delegated. One key, so that limits, membership and the gate are one compare-and-set:
 * what is refused was never counted, and what fires fires once.
 */
export const OwnerRecord = z.looseObject({
  /** By the turn that delegated. */
  batches: z.record(z.string(), Batch),
  /** Those that were used last come last. */
  tallies: z.array(Tally),
});
export type OwnerRecord = z.infer<typeof OwnerRecord>;

const owners = collection("subtask-owners", OwnerRecord, { ttlMs: RETENTION_MS });

export interface OwnerAddress {
  readonly tenant: string;
  readonly agent: string;
  readonly ownerId: string;
}

export const ownerKey = ({ tenant, agent, ownerId }: OwnerAddress) => keyOf(owners, tenant, agent, ownerId);
export const emptyOwner: OwnerRecord = { batches: {}, tallies: [] };

/** Mostly read in the process that wrote it last. */
export const ownersRead = new LastRead<OwnerRecord>();

export const readOwner = async (store: Store, address: OwnerAddress): Promise<OwnerRecord> =>
  (await ownersRead.get(store, ownerKey(address)))?.value ?? emptyOwner;

export const withBatch = (record: OwnerRecord, batch: Batch): OwnerRecord => ({
  ...record,
  batches: { ...record.batches, [batch.turnId]: batch },
});

export const tallyOf = ({ tallies }: OwnerRecord, rootTurnId: string): Tally =>
  tallies.find(({ root }) => rootTurnId.startsWith(root)) ?? { root: rootTurnId.slice(0, ROOT_CHARS), spawned: 0 };

export const withTally = (record: OwnerRecord, tally: Tally): OwnerRecord => {
  const others = record.tallies.filter(({ root }) => root !== tally.root);
  return { ...record, tallies: [...others.slice(1 - MOST_TALLIES), tally] };
};

/** How long what is over is kept, if nobody knows whether all of it was told: repeats of its messages bring that on. */
const KEPT_MS = 3_600_000;
/** Requests of one owner whose limits are counted at once. */
const MOST_TALLIES = 16;
const ROOT_CHARS = 14;

/** Without batches that nobody needs any more. The newest one stays, so that its owner can look at it. */
export const withoutOld = (record: OwnerRecord, now: number, told: ReadonlySet<string>): OwnerRecord => {
  const batches = Object.entries(record.batches);
  const [newest] = batches.at(-1) ?? [];
  const isNeeded = (batch: Batch) =>
    batch.turnId === newest || !isSettled(batch) || (now - (batch.sealedAt ?? now) < KEPT_MS && !isTold(batch, told));
  const needed = batches.filter(([, batch]) => isNeeded(batch));
  return needed.length === batches.length ? record : { ...record, batches: Object.fromEntries(needed) };
};

/** A word of one that reports alone may still wait to be heard, and must then find out whether it was returned. */
const isTold = ({ turnId, members }: Batch, told: ReadonlySet<string>): boolean =>
  told.has(turnId) && members.every(({ reports }) => reports !== "alone");
