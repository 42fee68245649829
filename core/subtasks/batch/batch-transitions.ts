import type { Subtask } from "../../contract/messages/subtask.ts";
import type { Agent } from "../../turns/index.ts";
import { ceilingMs } from "../../turns/limits/index.ts";
import type { TurnRecord } from "../../turns/record/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Batch, BatchCall, Member } from "../owner/batch.ts";
import { advanced, lateMembers, openCalls, openMembers } from "../owner/batch.ts";
import type { OwnerAddress, OwnerRecord } from "../owner/owner-record.ts";
import { withBatch } from "../owner/owner-record.ts";

/** A batch before and after a change; the same object if there was nothing to change, as for a redelivered message. */
export interface BatchChange {
  readonly before: Batch;
  readonly after: Batch;
}

/** True while the delegating turn runs in this process, which releases parked changes at its end. */
export type CanWait = () => boolean;

export type BatchAddress = OwnerAddress & { readonly turnId: string };

/** Resolves to undefined if the owner has no such batch, or it was settled and removed. */
const changeBatch = async (
  { owners }: SubtaskDeps,
  address: BatchAddress,
  change: (batch: Batch) => Batch,
  canWait?: CanWait,
): Promise<BatchChange | undefined> => {
  const { turnId } = address;
  const changeRecord = (record: OwnerRecord) => {
    const batch = record.batches[turnId];
    if (batch === undefined) return record;
    const changed = change(batch);
    return changed === batch ? record : withBatch(record, changed);
  };
  const { before, after } = await (canWait?.()
    ? owners.changeWith(turnId, address, changeRecord)
    : owners.change(address, changeRecord));
  const [batchBefore, batchAfter] = [before.batches[turnId], after.batches[turnId]];
  if (batchBefore === undefined || batchAfter === undefined) return undefined;
  return { before: batchBefore, after: batchAfter };
};

export const batchOf = ({ tenant, agent, owner, parentTurnId }: Subtask): BatchAddress => ({
  tenant,
  agent,
  ownerId: owner.ownerId,
  turnId: parentTurnId,
});

/** Gives a member a new id, because another subtask has the id that it was reserved with. */
export const renameMember = (
  deps: SubtaskDeps,
  address: BatchAddress,
  { callKey, id }: Pick<Member, "callKey" | "id">,
): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) => ({
    ...batch,
    members: batch.members.map((member) => (member.callKey === callKey ? { ...member, id } : member)),
  }));

/** Counts an end, once (B2). The last end of a sealed batch fires it; an end after that is late (B4). */
export const countEnd = (deps: SubtaskDeps, subtask: Subtask): Promise<BatchChange | undefined> =>
  changeBatch(deps, batchOf(subtask), (batch) => {
    const member = batch.members.find(({ id }) => id === subtask.id);
    if (member === undefined || member.ended) return batch;
    const late = isLate(batch, subtask);
    const changed = withMember(batch, { ...member, ended: true, ...(late && { late }) });
    return advanced(changed, deps.clock.now());
  });

/**
 * Counts an end unless it is late. An end that can wait shares the next write of its turn, or the one at the end of the
 * turn, because the batch cannot fire before.
 */
export const countInTime = (
  deps: SubtaskDeps,
  subtask: Subtask,
  canWait: CanWait | undefined,
): Promise<BatchChange | undefined> => {
  const count = (batch: Batch): Batch => {
    const member = batch.members.find(({ id }) => id === subtask.id);
    if (member === undefined || member.ended || isLate(batch, subtask)) return batch;
    return advanced(withMember(batch, { ...member, ended: true }), deps.clock.now());
  };
  return changeBatch(deps, batchOf(subtask), count, canWait);
};

/** A cancelled subtask is not late: the synthesis lists it as timed out, and it adds no result. */
const isLate = ({ firedAt }: Batch, { status }: Subtask): boolean => firedAt !== undefined && status !== "cancelled";

/** Seals the batch at the end of its turn: the ceiling starts, and the batch may fire (B2). Idempotent. */
export const sealBatch = (
  deps: SubtaskDeps,
  { tenant, name, delegation }: Agent,
  { turnId, standing: delegationContext }: Pick<TurnRecord, "turnId" | "standing">,
): Promise<BatchChange | undefined> => {
  const address = { tenant, agent: name, ownerId: delegationContext.owner.ownerId, turnId };
  return changeBatch(deps, address, (batch) => {
    if (batch.sealedAt !== undefined) return batch;
    const sealedAt = deps.clock.now();
    const sealed = { ...batch, sealedAt, ceilingAt: sealedAt + ceilingMs(delegation, delegationContext.background) };
    return advanced(sealed, sealedAt);
  });
};

/** Excludes members whose results a tool call is about to return. The batch may be complete without them. */
export const takeReturned = (
  deps: SubtaskDeps,
  address: BatchAddress,
  ids: readonly string[],
  awaitedBy: string,
): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) => {
    const taken = batch.members.filter((member) => ids.includes(member.id) && member.awaitedBy === undefined);
    if (taken.length === 0) return batch;
    return advanced(
      taken.reduce((changed, member) => withMember(changed, { ...member, ended: true, awaitedBy }), batch),
      deps.clock.now(),
    );
  });

/** Starts the grace period. */
export const markStopped = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    batch.stoppedAt === undefined ? { ...batch, stoppedAt: deps.clock.now() } : batch,
  );

/** Fires the batch after ceiling and grace, without the members that have not ended (B3). */
export const fireAtCeiling = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    batch.sealedAt === undefined || batch.firedAt !== undefined || openMembers(batch).length === 0
      ? advanced(batch, deps.clock.now())
      : { ...batch, firedAt: deps.clock.now(), firedBy: "ceiling" },
  );

/** Counts members without a record as ended: their turn crashed before it created them. */
export const countLost = (
  deps: SubtaskDeps,
  address: BatchAddress,
  ids: readonly string[],
): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) => {
    const lost = batch.members.filter(({ id, ended }) => ids.includes(id) && !ended);
    if (lost.length === 0) return batch;
    const without = lost.reduce((changed, member) => withMember(changed, { ...member, ended: true }), batch);
    return advanced(without, deps.clock.now());
  });

/** Counts the end of a call to another agent. The batch does not wait for it, but the activity entry does. */
export const countCallEnd = (
  deps: SubtaskDeps,
  address: BatchAddress,
  { id, isLater }: Pick<BatchCall, "id" | "isLater">,
): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) => {
    if (!openCalls(batch).some((call) => call.id === id)) return batch;
    const calls = (batch.calls ?? []).map((call) => (call.id === id ? { ...call, ended: true, isLater } : call));
    return { ...batch, calls };
  });

/** Requests the follow-up without waiting for the members that are still open. */
export const amendNow = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    lateMembers(batch).length > 0 ? { ...batch, amendedAt: deps.clock.now() } : batch,
  );

const withMember = (batch: Batch, member: Member): Batch => ({
  ...batch,
  members: batch.members.map((other) => (other.id === member.id ? member : other)),
});
