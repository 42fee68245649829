import { z } from "zod";

const Seq = z.number().int().nonnegative();

/** Who reads a partition of a durable, and where reading begins. Changed by compare-and-set only. */
export const PartitionRecord = z.looseObject({
  /** A member's id. Null: given back in good order. */
  owner: z.string().nullable(),
  /** Each has a consumer of its own on the server. */
  generation: z.number().int().positive(),
  /** Everything before this place in the stream has ended. */
  from: Seq,
  /** Up to this place everything has ended, but for `open`. */
  doneTo: Seq,
  open: z.array(Seq),
  /** To whoever takes over from a dead owner, what is not after this place may have been run. */
  suspectTo: Seq,
  /** These may have been run, too. */
  suspects: z.array(Seq),
  /** The oldest generation that may have left a consumer on the server. */
  oldest: z.number().int().positive(),
});
export type PartitionRecord = z.infer<typeof PartitionRecord>;

/** Where a durable that is new begins; decided once, for all of its partitions. */
export const GroupOrigin = z.looseObject({ from: Seq });
export type GroupOrigin = z.infer<typeof GroupOrigin>;

/** What the server knows about the consumer of a generation. */
export interface ConsumerProgress {
  readonly floor: number;
  readonly delivered: number;
}

/** What the owner itself knows about its partition. */
export interface LocalProgress {
  readonly from: number;
  readonly doneTo: number;
  readonly open: readonly number[];
  readonly suspects: readonly number[];
  /** What it was told to suspect, as long as it was not sent all of that. */
  readonly suspectTo: number;
  /** The last place it was sent. */
  readonly received: number;
}

/** A new owner's record. A partition given back in good order says itself what ended; after a death the server does. */
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

/** The same owner with a new consumer. It knows itself what it was sent and what ended, so no server is asked. */
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

/** Given back: nobody need ask the server what had ended. */
export const released = (before: PartitionRecord, local: LocalProgress): PartitionRecord => ({
  ...before,
  owner: null,
  from: Math.max(before.from, local.from),
  doneTo: local.doneTo,
  open: [...local.open],
  suspectTo: local.suspectTo,
  suspects: [...local.suspects],
});

/** A process gives up a record that names it although it does not hold the partition. It may have been sent messages. */
export const disowned = (before: PartitionRecord, progress: ConsumerProgress | undefined): PartitionRecord => ({
  ...takenOver(before, progress, "", before.from),
  owner: null,
  generation: before.generation,
});

/**
 * A stream that ends before the place where reading begins was replaced, or restored from an older copy. Reading all of
 * it again loses nothing; waiting for the old place would.
 */
export const fittedTo = (record: PartitionRecord, lastSeq: number): PartitionRecord =>
  record.from <= lastSeq + 1 ? record : { ...record, from: 1, doneTo: 0, open: [], suspectTo: lastSeq, suspects: [] };
