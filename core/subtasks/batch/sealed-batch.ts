import type { AgentRef, BatchTimer } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import { ack, type DeadLetter, type Outcome } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { deadLetterFallback } from "../../lib/index.ts";
import type { TurnEntry } from "../../sessions/index.ts";
import type { Agent } from "../../turns/index.ts";
import { AMENDMENT_SLACK_MS } from "../../turns/limits/index.ts";
import type { TurnRecord } from "../../turns/record/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Batch, isSettled, openCalls, openMembers } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { changeSubtask } from "../record/change-subtask.ts";
import { readSubtask, undefinedIfCorrupt } from "../record/subtask-record.ts";
import { applyBatchEffects } from "./batch-effects.ts";
import { amendNow, countLost, fireAtCeiling, markStopped, sealBatch } from "./batch-transitions.ts";
import { cancelSubtask } from "./report-end.ts";

/** Seals the batch of a turn before the message of the turn is acknowledged. Idempotent. */
export const sealTurn = async (
  deps: SubtaskDeps,
  agent: Agent,
  turn: Pick<TurnRecord, "turnId" | "standing">,
  /** Undefined if the turn has no stored end. */
  outcome: TurnEntry["outcome"] | undefined,
): Promise<void> => {
  const agentRef = { tenant: agent.tenant, agent: agent.name };
  const change = await sealBatch(deps, agent, turn);
  await deps.checkpoint("batch.sealed");
  if (change === undefined) return;
  await setBatchTimer(deps, agentRef, change.after);
  const isCancelled = outcome === "cancelled";
  const lost = await releaseMembers(deps, agentRef, change.after, isCancelled);
  const batch = { ...agentRef, ownerId: turn.standing.owner.ownerId, turnId: turn.turnId };
  if (lost.length > 0) await applyBatchEffects(deps, agentRef, await countLost(deps, batch, lost));
  const hasFailed = outcome !== "answered" && outcome !== "nothing";
  const openIds = openCalls(change.after).map(({ id }) => id);
  await deps.calls.release(deps, batch, openIds, { hasFailed, isCancelled });
  await applyBatchEffects(deps, agentRef, change);
};

/**
 * Cancels blocking members, because the call that waited for them ended with its turn; with `atPeers`, also the work of
 * the agents that they asked. Resolves to the members without
 * a record; the batch timer finds those among the counted members.
 */
const releaseMembers = async (
  deps: SubtaskDeps,
  agentRef: AgentRef,
  { members }: Batch,
  atPeers: boolean,
): Promise<string[]> => {
  const lost: string[] = [];
  for (const { id, reports } of members.filter((member) => member.reports !== "batch" && !member.ended)) {
    const address = { ...agentRef, id };
    const found =
      reports === "blocking"
        ? await cancelSubtask(deps, address, "the turn that waited for it has ended", atPeers)
        : await undefinedIfCorrupt(readSubtask(deps.store, address));
    if (found === undefined) lost.push(id);
  }
  return lost;
};

/** Publishes the timer of a batch with open members; the bus keeps it across a crash. Subagents wait by themselves. */
export const setBatchTimer = async ({ bus }: SubtaskDeps, { tenant, agent }: AgentRef, batch: Batch): Promise<void> => {
  const { turnId, standing: delegationContext } = batch;
  if (delegationContext.owner.ownerType === "worker" || openMembers(batch).length === 0) return;
  const id = `batch-${turnId}/timer`;
  const timer = { tenant, agent, ownerId: delegationContext.owner.ownerId, turnId };
  await bus.publish(subjectsOf(tenant).batchTimer(agent), timer, { id, key: id });
};

/** Checks a batch at its deadlines: ceiling, grace, follow-up. The bus stores the timer, so it survives a crash. */
export const handleBatchTimer = async (deps: SubtaskDeps, agent: Agent, timer: BatchTimer): Promise<Outcome> => {
  const batch = (await readOwner(deps.store, timer)).batches[timer.turnId];
  if (batch === undefined || isSettled(batch)) return ack;
  const now = deps.clock.now();
  // Sealing sets the ceiling before it starts this timer: the read was stale.
  if (batch.ceilingAt === undefined) return { retryInMs: agent.delegation.graceMs };
  if (batch.firedAt === undefined) {
    if (now < batch.ceilingAt) return { retryInMs: batch.ceilingAt - now };
    if (batch.stoppedAt === undefined) {
      await stopOpenMembers(deps, timer, batch);
      await deps.checkpoint("batch.stopped");
      await markStopped(deps, timer);
      return { retryInMs: agent.delegation.graceMs };
    }
    const graceEndsAt = batch.stoppedAt + agent.delegation.graceMs;
    if (now < graceEndsAt) return { retryInMs: graceEndsAt - now };
    const change = await fireAtCeiling(deps, timer);
    await applyBatchEffects(deps, timer, change);
  }
  const amendmentDueAt = batch.ceilingAt + AMENDMENT_SLACK_MS;
  if (now < amendmentDueAt) return { retryInMs: amendmentDueAt - now };
  await applyBatchEffects(deps, timer, await amendNow(deps, timer));
  return ack;
};

/** Asks open members to stop. A member that does not end within the grace misses the synthesis (B3). */
const stopOpenMembers = async (deps: SubtaskDeps, timer: BatchTimer, batch: Batch): Promise<void> => {
  const { tenant, agent } = timer;
  const stopRequestedAt = isoTime(deps.clock.now());
  const open = openMembers(batch);
  const { turnId, standing: delegationContext, traceId } = batch;
  const fields = { batch: turnId, planId: delegationContext.rootTurnId, owner: timer.ownerId, traceId };
  deps.logger.warn({ ...fields, subtasks: open.map(({ id }) => id) }, "batch ceiling reached, stopping subtasks");
  const stopped = await Promise.all(
    open.map(async ({ id }) => {
      const stopping = changeSubtask(deps, { tenant, agent, id }, (subtask) =>
        hasEnded(subtask) || subtask.stopRequestedAt !== undefined ? subtask : { ...subtask, stopRequestedAt },
      );
      const found = await undefinedIfCorrupt(stopping);
      return { id, isLost: found === undefined };
    }),
  );
  const lost = stopped.filter(({ isLost }) => isLost).map(({ id }) => id);
  if (lost.length > 0) await applyBatchEffects(deps, timer, await countLost(deps, timer, lost));
};

/** Fires the batch when its timer became a dead letter, because nothing else would (B3). Open members are late (B4). */
export const handleTimerDeadLetter = async (
  deps: SubtaskDeps,
  agent: Agent,
  timer: BatchTimer | undefined,
  letter: DeadLetter,
): Promise<void> => {
  if (timer === undefined) return;
  await deadLetterFallback(deps.logger, letter, async () => {
    const batch = (await readOwner(deps.store, timer)).batches[timer.turnId];
    if (batch === undefined || isSettled(batch)) return;
    if (batch.sealedAt === undefined) await sealTurn(deps, agent, batch, undefined);
    await applyBatchEffects(deps, timer, await fireAtCeiling(deps, timer));
  });
};
