import { z } from "zod";
import { Inherited } from "../../turns/index.ts";

/** One subtask as its batch counts it. */
export const Member = z.looseObject({
  id: z.string(),
  callKey: z.string(),
  name: z.string(),
  reports: z.enum(["batch", "alone", "blocking"]),
  ended: z.boolean(),
  /** The await call that has returned its result: it is no longer counted. */
  awaitedBy: z.string().optional(),
  /** It ended after the batch had fired, with something to tell. */
  late: z.boolean().optional(),
});
export type Member = z.infer<typeof Member>;

/** A message to another agent whose answer comes later. It is no member: nothing waits for it, but people see it. */
export const BatchCall = z.looseObject({
  id: z.string(),
  name: z.string(),
  ended: z.boolean(),
  /** Its answer has a turn of its own. */
  isLater: z.boolean().optional(),
});
export type BatchCall = z.infer<typeof BatchCall>;

/** What one turn has delegated (B2). Times are wall clock, milliseconds. */
export const Batch = z.looseObject({
  turnId: z.string(),
  ...Inherited.shape,
  members: z.array(Member),
  calls: z.array(BatchCall).optional(),
  openedAt: z.number(),
  /** The turn has ended: nobody joins any more, and it may fire. */
  sealedAt: z.number().optional(),
  ceilingAt: z.number().optional(),
  /** Those still out at the ceiling were asked to end. */
  stoppedAt: z.number().optional(),
  firedAt: z.number().optional(),
  firedBy: z.enum(["complete", "ceiling"]).optional(),
  /** The one follow-up has been asked for. */
  amendedAt: z.number().optional(),
});
export type Batch = z.infer<typeof Batch>;

/** Those whose results belong into the one answer. */
export const countedMembers = ({ members }: Batch): Member[] =>
  members.filter(({ reports, awaitedBy }) => reports === "batch" && awaitedBy === undefined);

export const openMembers = (batch: Batch): Member[] => countedMembers(batch).filter(({ ended }) => !ended);

/** Late ones that no follow-up has told of yet. */
export const lateMembers = (batch: Batch): Member[] =>
  batch.amendedAt === undefined ? countedMembers(batch).filter(({ late }) => late === true) : [];

/** Other agents who have not answered yet. */
export const openCalls = ({ calls = [] }: Batch): BatchCall[] => calls.filter(({ ended }) => !ended);

/** Whatever it started has ended, whoever waited for it. */
export const isOver = (batch: Batch): boolean =>
  batch.sealedAt !== undefined && batch.members.every(({ ended }) => ended) && openCalls(batch).length === 0;

/** Nothing more will come of it. */
export const isSettled = (batch: Batch): boolean =>
  isOver(batch) &&
  (batch.firedAt !== undefined || countedMembers(batch).length === 0) &&
  lateMembers(batch).length === 0;

/** With what it is due for by now: the one answer, and the one follow-up. */
export const advanced = (batch: Batch, now: number): Batch => {
  const counted = countedMembers(batch);
  if (batch.sealedAt === undefined || counted.length === 0 || openMembers(batch).length > 0) return batch;
  if (batch.firedAt === undefined) return { ...batch, firedAt: now, firedBy: "complete" };
  return lateMembers(batch).length > 0 ? { ...batch, amendedAt: now } : batch;
};
