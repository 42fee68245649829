import { z } from "zod";

const Seq = z.number().int().nonnegative();

/** The owner of a partition of a durable, and where it starts to read. Changed by compare-and-set only. */
export const PartitionRecord = z.looseObject({
  /** A member's id. Null: released by its last owner. */
  owner: z.string().nullable(),
  /** Each generation has its own consumer on the server. */
  generation: z.number().int().positive(),
  /** All messages before this sequence number have ended. */
  from: Seq,
  /** All messages up to this sequence number have ended, except `open`. */
  doneTo: Seq,
  open: z.array(Seq),
  /** After a crash of the owner, messages up to this sequence number may have run. */
  suspectTo: Seq,
  /** Further messages that may have run. */
  suspects: z.array(Seq),
  /** The oldest generation that may have left a consumer on the server. */
  oldest: z.number().int().positive(),
});
export type PartitionRecord = z.infer<typeof PartitionRecord>;

/** Where a new durable starts; decided once, for all of its partitions. */
export const GroupOrigin = z.looseObject({
  from: Seq,
  /** For backups, because the name of a group has only a hash of them. Absent in records of version 0.1. */
  durable: z.string().optional(),
  subject: z.string().optional(),
});
export type GroupOrigin = z.infer<typeof GroupOrigin>;

/** The server's state of a generation's consumer. */
export interface ConsumerProgress {
  readonly floor: number;
  readonly delivered: number;
}

/** The owner's own state of its partition. */
export interface LocalProgress {
  readonly from: number;
  readonly doneTo: number;
  readonly open: readonly number[];
  readonly suspects: readonly number[];
  /** `suspectTo` of its record until it has received those messages, then 0. */
  readonly suspectTo: number;
  /** The last sequence number that arrived. */
  readonly received: number;
}

/** A new owner's record. A released record names the ended messages itself; after a crash the server's state counts. */
export const takenOver = (
  before: PartitionRecord | undefined,
  progress: ConsumerProgress | undefined,
  owner: string,
  origin: number,
): PartitionRecord => {
  if (before === undefined) {
    return { owner, generation: 1, from: origin, doneTo: 0, open: [], suspectTo: 0, suspects: [], oldest: 1 };
  }
  const from = Math.max(before.from, (progress?.floor ?? 0) + 1);
  const suspectTo = before.owner === null ? before.suspectTo : Math.max(before.suspectTo, progress?.delivered ?? 0);
  return {
    ...before,
    owner,
    generation: before.generation + 1,
    from,
    open: before.open.filter((seq) => seq >= from),
    suspectTo,
    suspects: before.suspects.filter((seq) => seq >= from && seq > suspectTo),
  };
};

/** The record after its owner replaced the consumer. The local progress is complete, so the server is not asked. */
export const reopened = (before: PartitionRecord, local: LocalProgress): PartitionRecord => {
  const from = Math.max(before.from, local.from);
  return {
    ...before,
    generation: before.generation + 1,
    from,
    doneTo: local.doneTo,
    open: local.open.filter((seq) => seq >= from),
    suspectTo: Math.max(before.suspectTo, local.received),
    suspects: before.suspects.filter((seq) => seq >= from),
  };
};

/** The record of a released partition; the next owner does not need the server's state. */
export const released = (before: PartitionRecord, local: LocalProgress): PartitionRecord => ({
  ...before,
  owner: null,
  from: Math.max(before.from, local.from),
  doneTo: local.doneTo,
  open: [...local.open],
  suspectTo: local.suspectTo,
  suspects: [...local.suspects],
});

/** Releases a record that names a process although it does not hold the partition. Messages may have been delivered. */
export const disowned = (before: PartitionRecord, progress: ConsumerProgress | undefined): PartitionRecord => ({
  ...takenOver(before, progress, "", before.from),
  owner: null,
  generation: before.generation,
});

/**
 * A stream that ends before `from` was replaced, or restored from an older copy. Reading it from the beginning loses no
 * message; waiting for the old sequence number would.
 */
export const fittedTo = (record: PartitionRecord, lastSeq: number): PartitionRecord =>
  record.from <= lastSeq + 1 ? record : { ...record, from: 1, doneTo: 0, open: [], suspectTo: lastSeq, suspects: [] };
