import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { TurnEntry } from "../../sessions/index.ts";
import type { Agent, TurnRecord } from "../../turns/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Batch, openCalls, openMembers } from "../owner/batch.ts";
import { readSubtask, undefinedIfCorrupt } from "../record/subtask-record.ts";
import { applyBatchEffects } from "./batch-effects.ts";
import { countLost, sealBatch } from "./batch-transitions.ts";
import { cancelSubtask } from "./cancel-subtask.ts";

/** Seals the batch of a turn before the message of the turn is acknowledged. Idempotent. */
export const sealTurn = async (
  deps: SubtaskDeps,
  agent: Agent,
  turn: Pick<TurnRecord, "turnId" | "standing">,
  /** Undefined if the turn has no stored end. */
  outcome: TurnEntry["outcome"] | undefined,
): Promise<void> => {
  const place = { tenant: agent.tenant, agent: agent.name };
  const change = await sealBatch(deps, agent, turn);
  await deps.checkpoint("batch.sealed");
  if (change === undefined) return;
  await setBatchTimer(deps, place, change.after);
  const lost = await releaseMembers(deps, place, change.after);
  const batch = { ...place, ownerId: turn.standing.owner.ownerId, turnId: turn.turnId };
  if (lost.length > 0) await applyBatchEffects(deps, place, await countLost(deps, batch, lost));
  const hasFailed = outcome !== "answered" && outcome !== "nothing";
  const openIds = openCalls(change.after).map(({ id }) => id);
  await deps.calls.release(deps, batch, openIds, { hasFailed });
  await applyBatchEffects(deps, place, change);
};

/**
 * Cancels blocking members, because the call that waited for them ended with its turn. Resolves to the members without
 * a record; the batch timer finds those among the counted members.
 */
const releaseMembers = async (deps: SubtaskDeps, place: AgentRef, { members }: Batch): Promise<string[]> => {
  const lost: string[] = [];
  for (const { id, reports } of members.filter((member) => member.reports !== "batch" && !member.ended)) {
    const address = { ...place, id };
    const found =
      reports === "blocking"
        ? await cancelSubtask(deps, address, "the turn that waited for it has ended")
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
