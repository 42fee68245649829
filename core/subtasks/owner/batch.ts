import { z } from "zod";
import { WorkContext } from "../../contract/messages/work-context.ts";

/** A subtask in its batch. */
export const Member = z.looseObject({
  id: z.string(),
  callKey: z.string(),
  name: z.string(),
  reports: z.enum(["batch", "alone", "blocking"]),
  ended: z.boolean(),
  /** Paths that it announced to change. */
  targetFiles: z.array(z.string()).optional(),
  /** Idempotency key of the call that returned its result; the batch no longer counts it. */
  awaitedBy: z.string().optional(),
  /** The member ended after the batch had fired, and its result belongs to the follow-up. */
  late: z.boolean().optional(),
});
export type Member = z.infer<typeof Member>;

/** A call to another agent. The batch does not wait for it, but the activity entry shows it. */
export const BatchCall = z.looseObject({
  id: z.string(),
  name: z.string(),
  ended: z.boolean(),
  /** The call's answer arrives in a separate turn. */
  isLater: z.boolean().optional(),
});
export type BatchCall = z.infer<typeof BatchCall>;

/** The work that one turn has delegated (B2). Times are wall clock, milliseconds. */
export const Batch = z.looseObject({
  turnId: z.string(),
  ...WorkContext.shape,
  members: z.array(Member),
  calls: z.array(BatchCall).optional(),
  openedAt: z.number(),
  /** When the turn ended: from then on no member joins, and the batch may fire. */
  sealedAt: z.number().optional(),
  ceilingAt: z.number().optional(),
  /** When the members that were open at the ceiling were asked to stop. */
  stoppedAt: z.number().optional(),
  firedAt: z.number().optional(),
  firedBy: z.enum(["complete", "ceiling"]).optional(),
  /** When the follow-up was requested. */
  amendedAt: z.number().optional(),
});
export type Batch = z.infer<typeof Batch>;

/** The members whose results go into the synthesis. */
export const countedMembers = ({ members }: Batch): Member[] =>
  members.filter(({ reports, awaitedBy }) => reports === "batch" && awaitedBy === undefined);

export const openMembers = (batch: Batch): Member[] => countedMembers(batch).filter(({ ended }) => !ended);

/** The late members that no follow-up has reported yet. */
export const lateMembers = (batch: Batch): Member[] =>
  batch.amendedAt === undefined ? countedMembers(batch).filter(({ late }) => late === true) : [];

export const openCalls = ({ calls = [] }: Batch): BatchCall[] => calls.filter(({ ended }) => !ended);

/** True once all members and calls have ended. */
export const isOver = (batch: Batch): boolean =>
  batch.sealedAt !== undefined && batch.members.every(({ ended }) => ended) && openCalls(batch).length === 0;

/** True once no further turn can follow from the batch. */
export const isSettled = (batch: Batch): boolean =>
  isOver(batch) &&
  (batch.firedAt !== undefined || countedMembers(batch).length === 0) &&
  lateMembers(batch).length === 0;

/** Fires the batch if it is complete, or requests the follow-up about late results. */
export const advanced = (batch: Batch, now: number): Batch => {
  const counted = countedMembers(batch);
  if (batch.sealedAt === undefined || counted.length === 0 || openMembers(batch).length > 0) return batch;
  if (batch.firedAt === undefined) return { ...batch, firedAt: now, firedBy: "complete" };
  return lateMembers(batch).length > 0 ? { ...batch, amendedAt: now } : batch;
};
