import { z } from "zod";
import type { AgentRef } from "../../contract/messages/addresses.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import { LastRead } from "../../contract/ports/update.ts";
import { Batch, isSettled } from "./batch.ts";

/**
 * The stored form of a Usage: the root turn's short id, then its fields. Compact, because a record has many and every
 * change writes all of them.
 */
const Tally = z.tuple([z.string(), z.int()], z.string());

/**
 * All work that one owner has delegated. It is one key, so that one compare-and-set covers limits, membership and
 * firing: a refused subtask is never counted, and a batch fires once.
 */
export const OwnerRecord = z.looseObject({
  /** Batches by the id of the turn that delegated. */
  batches: z.record(z.string(), Batch),
  /** Least recently used first. */
  tallies: z.array(Tally),
  /** When subtasks were started in the last minute: wall clock in milliseconds, and how many. */
  recent: z.array(z.tuple([z.number(), z.int()])).optional(),
});
export type OwnerRecord = z.infer<typeof OwnerRecord>;

const owners = collection("subtask-owners", OwnerRecord, { ttlMs: RETENTION_MS });

export interface OwnerAddress extends AgentRef {
  readonly ownerId: string;
}

export const ownerKey = ({ tenant, agent, ownerId }: OwnerAddress) => keyOf(owners, tenant, agent, ownerId);
export const emptyOwner: OwnerRecord = { batches: {}, tallies: [] };

/** Most reads happen in the process that wrote last. */
export const ownersRead = new LastRead<OwnerRecord>();

export const readOwner = async (store: Store, address: OwnerAddress): Promise<OwnerRecord> =>
  (await ownersRead.get(store, ownerKey(address)))?.value ?? emptyOwner;

export const withBatch = (record: OwnerRecord, batch: Batch): OwnerRecord => ({
  ...record,
  batches: { ...record.batches, [batch.turnId]: batch },
});

/** Usage of one request against its limits (S9). */
interface Usage {
  /** The number of its subtasks. */
  readonly spawned: number;
  /** The continuations that delegated again. */
  readonly respawns: readonly string[];
}

export const usageOf = (rootTurnId: string, { tallies }: OwnerRecord): Usage => {
  const [, spawned = 0, ...respawns] = tallies.find(([root]) => root === short(rootTurnId)) ?? [];
  return { spawned, respawns };
};

export const withUsage = (record: OwnerRecord, rootTurnId: string, { spawned, respawns }: Usage): OwnerRecord => {
  const others = record.tallies.filter(([root]) => root !== short(rootTurnId));
  return { ...record, tallies: [...others.slice(1 - MAX_TALLIES), [short(rootTurnId), spawned, ...respawns]] };
};

const MINUTE_MS = 60_000;

const startedWithinMinute = ({ recent = [] }: OwnerRecord, now: number) =>
  recent.filter(([at]) => at > now - MINUTE_MS && at <= now);

/** The subtasks that may still be started in this minute, and when the next ones may be. */
export const minuteLeft = (record: OwnerRecord, perMinute: number, now: number) => {
  const recent = startedWithinMinute(record, now);
  const [first] = recent;
  return {
    left: perMinute - recent.reduce((sum, [, count]) => sum + count, 0),
    retryInMs: first === undefined ? 0 : first[0] + MINUTE_MS - now,
  };
};

export const withStarted = (record: OwnerRecord, count: number, now: number): OwnerRecord => ({
  ...record,
  recent: [...startedWithinMinute(record, now), [now, count]],
});

const short = (turnId: string): string => turnId.slice(-12);

/** How long a settled batch stays if its effects may be unpublished: redelivered messages publish them. */
const UNPUBLISHED_BATCH_MS = 3_600_000;
/** Requests of one owner whose usage is stored. */
const MAX_TALLIES = 16;

/** Removes settled batches. The newest one stays, for list_subtasks. */
export const withoutOld = (record: OwnerRecord, now: number, published: ReadonlySet<string>): OwnerRecord => {
  const batches = Object.entries(record.batches);
  const [newest] = batches.at(-1) ?? [];
  const isNeeded = (batch: Batch) =>
    batch.turnId === newest ||
    !isSettled(batch) ||
    (now - lastStep(batch, now) < UNPUBLISHED_BATCH_MS && !isPublished(batch, published));
  const needed = batches.filter(([, batch]) => isNeeded(batch));
  return needed.length === batches.length ? record : { ...record, batches: Object.fromEntries(needed) };
};

const lastStep = ({ sealedAt, firedAt, amendedAt }: Batch, now: number): number =>
  amendedAt ?? firedAt ?? sealedAt ?? now;

/** A queued message of a member that reports alone still needs the batch, to see whether its result was returned. */
const isPublished = ({ turnId, members }: Batch, published: ReadonlySet<string>): boolean =>
  published.has(turnId) && members.every(({ reports }) => reports !== "alone");
