import { z } from "zod";
import { RETENTION_MS } from "../../contract/bus.ts";
import { collection, keyOf } from "../../contract/collection.ts";
import { LastRead } from "../../contract/last-read.ts";
import type { Store } from "../../contract/store.ts";
import { Batch, isSettled } from "./batch.ts";

/**
 * What a turn has used up, with its continuations (S9): the turn that began it all, how many were spawned, and the
 * continuations that delegated again. Many are kept and written often, so they are short: of the turn's id there is as
 * much as tells it from the others.
 */
const Tally = z.tuple([z.string(), z.int()], z.string());

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

export interface UsedUp {
  readonly spawned: number;
  readonly respawns: readonly string[];
}

export const usedUpBy = (rootTurnId: string, { tallies }: OwnerRecord): UsedUp => {
  const [, spawned = 0, ...respawns] = tallies.find(([root]) => root === short(rootTurnId)) ?? [];
  return { spawned, respawns };
};

export const withUsedUp = (record: OwnerRecord, rootTurnId: string, { spawned, respawns }: UsedUp): OwnerRecord => {
  const others = record.tallies.filter(([root]) => root !== short(rootTurnId));
  return { ...record, tallies: [...others.slice(1 - MAX_TALLIES), [short(rootTurnId), spawned, ...respawns]] };
};

const short = (turnId: string): string => turnId.slice(-12);

/** How long what is over is kept, if nobody knows whether all of it was told: repeats of its messages bring that on. */
const KEPT_MS = 3_600_000;
/** Requests of one owner whose limits are counted at once. */
const MAX_TALLIES = 16;

/** Without batches that nobody needs any more. The newest one stays, so that its owner can look at it. */
export const withoutOld = (record: OwnerRecord, now: number, told: ReadonlySet<string>): OwnerRecord => {
  const batches = Object.entries(record.batches);
  const [newest] = batches.at(-1) ?? [];
  const isNeeded = (batch: Batch) =>
    batch.turnId === newest || !isSettled(batch) || (now - lastStep(batch, now) < KEPT_MS && !isTold(batch, told));
  const needed = batches.filter(([, batch]) => isNeeded(batch));
  return needed.length === batches.length ? record : { ...record, batches: Object.fromEntries(needed) };
};

const lastStep = ({ sealedAt, firedAt, amendedAt }: Batch, now: number): number =>
  amendedAt ?? firedAt ?? sealedAt ?? now;

/** A word of one that reports alone may still wait to be heard, and must then find out whether it was returned. */
const isTold = ({ turnId, members }: Batch, told: ReadonlySet<string>): boolean =>
  told.has(turnId) && members.every(({ reports }) => reports !== "alone");
