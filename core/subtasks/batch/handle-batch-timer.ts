import type { BatchTimer } from "../../contract/messages/addresses.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import type { DeadLetter, Outcome } from "../../contract/ports/bus.ts";
import { ack } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { deadLetterFallback } from "../../lib/index.ts";
import type { Agent } from "../../turns/index.ts";
import { AMENDMENT_SLACK_MS } from "../../turns/limits/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Batch, isSettled, openMembers } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { changeSubtask } from "../record/change-subtask.ts";
import { undefinedIfCorrupt } from "../record/subtask-record.ts";
import { applyBatchEffects } from "./batch-effects.ts";
import { amendNow, countLost, fireAtCeiling, markStopped } from "./batch-transitions.ts";
import { sealTurn } from "./seal-turn.ts";

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
      await stopStragglers(deps, timer, batch);
      await deps.checkpoint("batch.stopped");
      await markStopped(deps, timer);
      return { retryInMs: agent.delegation.graceMs };
    }
    const graceEndsAt = batch.stoppedAt + agent.delegation.graceMs;
    if (now < graceEndsAt) return { retryInMs: graceEndsAt - now };
    const change = await fireAtCeiling(deps, timer);
    await applyBatchEffects(deps, timer, change);
  }
  const patienceEndsAt = batch.ceilingAt + AMENDMENT_SLACK_MS;
  if (now < patienceEndsAt) return { retryInMs: patienceEndsAt - now };
  await applyBatchEffects(deps, timer, await amendNow(deps, timer));
  return ack;
};

/** Asks open members to stop. A member that does not end within the grace misses the synthesis (B3). */
const stopStragglers = async (deps: SubtaskDeps, timer: BatchTimer, batch: Batch): Promise<void> => {
  const { tenant, agent } = timer;
  const stopRequestedAt = isoTime(deps.clock.now());
  const stragglers = openMembers(batch);
  const { turnId, standing: delegationContext, traceId } = batch;
  const fields = { batch: turnId, planId: delegationContext.rootTurnId, owner: timer.ownerId, traceId };
  deps.logger.warn({ ...fields, subtasks: stragglers.map(({ id }) => id) }, "batch ceiling reached, stopping subtasks");
  const asked = await Promise.all(
    stragglers.map(async ({ id }) => {
      const asking = changeSubtask(deps, { tenant, agent, id }, (subtask) =>
        hasEnded(subtask) || subtask.stopRequestedAt !== undefined ? subtask : { ...subtask, stopRequestedAt },
      );
      const found = await undefinedIfCorrupt(asking);
      return { id, isLost: found === undefined };
    }),
  );
  const lost = asked.filter(({ isLost }) => isLost).map(({ id }) => id);
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
