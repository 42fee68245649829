import type { Subtask } from "../../contract/subtask.ts";
import { type Agent, ceilingMs, type TurnRecord } from "../../turns/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Batch, BatchCall, Member } from "../owner/batch.ts";
import { advanced, lateMembers, openCalls, openMembers } from "../owner/batch.ts";
import type { OwnerAddress, OwnerRecord } from "../owner/owner-record.ts";
import { withBatch } from "../owner/owner-record.ts";

/** A batch before and after a change; the same twice if there was nothing to change, as when a message comes again. */
export interface BatchChange {
  readonly before: Batch;
  readonly after: Batch;
}

/** Whether the turn that delegated still runs in this process. Asked at the last moment: who waits must be released. */
export type CanWait = () => boolean;

export type BatchAddress = OwnerAddress & { readonly turnId: string };

/** Undefined: the owner has no such batch, or all about it is long settled. */
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
  const [was, is] = [before.batches[turnId], after.batches[turnId]];
  return was === undefined || is === undefined ? undefined : { before: was, after: is };
};

export const batchOf = ({ tenant, agent, owner, parentTurnId }: Subtask): BatchAddress => ({
  tenant,
  agent,
  ownerId: owner.ownerId,
  turnId: parentTurnId,
});

/** Somebody else has the id that a member was counted in with. */
export const renameMember = (
  deps: SubtaskDeps,
  address: BatchAddress,
  { callKey, id }: Pick<Member, "callKey" | "id">,
): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) => ({
    ...batch,
    members: batch.members.map((member) => (member.callKey === callKey ? { ...member, id } : member)),
  }));

/** Counts an end, once (B2). The last one of a sealed batch fires it; one after that is late (B4). */
export const countEnd = (deps: SubtaskDeps, subtask: Subtask): Promise<BatchChange | undefined> =>
  changeBatch(deps, batchOf(subtask), (batch) => {
    const member = batch.members.find(({ id }) => id === subtask.id);
    if (member === undefined || member.ended) return batch;
    const late = isLate(batch, subtask);
    const changed = withMember(batch, { ...member, ended: true, ...(late && { late }) });
    return advanced(changed, deps.clock.now());
  });

/**
 * The same, but leaves an end that comes too late uncounted. One that can wait is counted when the turn that delegated
 * it changes something, or is over: nothing follows from it before.
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

/** Whoever was stopped was listed as timed out, and has nothing to add to that. */
const isLate = ({ firedAt }: Batch, { status }: Subtask): boolean => firedAt !== undefined && status !== "cancelled";

/** The turn has ended: from here the ceiling counts, and the batch may fire (B2). Doing it again changes nothing. */
export const sealBatch = (
  deps: SubtaskDeps,
  { tenant, name, delegation }: Agent,
  { turnId, standing }: Pick<TurnRecord, "turnId" | "standing">,
): Promise<BatchChange | undefined> => {
  const address = { tenant, agent: name, ownerId: standing.owner.ownerId, turnId };
  return changeBatch(deps, address, (batch) => {
    if (batch.sealedAt !== undefined) return batch;
    const sealedAt = deps.clock.now();
    const sealed = { ...batch, sealedAt, ceilingAt: sealedAt + ceilingMs(delegation, standing.background) };
    return advanced(sealed, sealedAt);
  });
};

/**
 * Takes those whose results a call is about to return out of the count: they have ended, and free their places. What
 * is left may be complete without them.
 */
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

/** From here the grace counts, however late it was noticed. */
export const markStopped = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    batch.stoppedAt === undefined ? { ...batch, stoppedAt: deps.clock.now() } : batch,
  );

/** At the ceiling, after the grace: whoever has not ended is left behind (B3). */
export const fireAtCeiling = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    batch.sealedAt === undefined || batch.firedAt !== undefined || openMembers(batch).length === 0
      ? advanced(batch, deps.clock.now())
      : { ...batch, firedAt: deps.clock.now(), firedBy: "ceiling" },
  );

/** Their turn died before it had really started them: there is nothing to wait for. */
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

/** Another agent has answered, or will not any more: nobody waits for it, but the activity entry may end with it. */
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

/** The follow-up waits no longer for those who are still out. */
export const amendNow = (deps: SubtaskDeps, address: BatchAddress): Promise<BatchChange | undefined> =>
  changeBatch(deps, address, (batch) =>
    lateMembers(batch).length > 0 ? { ...batch, amendedAt: deps.clock.now() } : batch,
  );

const withMember = (batch: Batch, member: Member): Batch => ({
  ...batch,
  members: batch.members.map((other) => (other.id === member.id ? member : other)),
});
