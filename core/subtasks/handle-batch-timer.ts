import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { BatchTimer } from "../contract/subtask-message.ts";
import { type Agent, AMENDMENT_SLACK_MS } from "../turns/index.ts";
import { afterGate } from "./after-gate.ts";
import { type Batch, isSettled, openMembers } from "./batch.ts";
import { changeSubtask } from "./change-subtask.ts";
import { amendNow, countLost, fireAtCeiling, markStopped } from "./gate.ts";
import { readOwner } from "./owner-record.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

/** Looks at a batch when its next moment has come. The bus holds the timer in between, also across deaths. */
export const handleBatchTimer = async (parts: SubtaskParts, agent: Agent, timer: BatchTimer): Promise<Outcome> => {
  const batch = (await readOwner(parts.store, timer)).batches[timer.turnId];
  if (batch === undefined || isSettled(batch)) return ack;
  const now = parts.clock.now();
  // It is set when the batch is sealed, so another process must be the one that knows better.
  if (batch.ceilingAt === undefined) return { retryInMs: agent.delegation.graceMs };
  if (batch.firedAt === undefined) {
    if (now < batch.ceilingAt) return { retryInMs: batch.ceilingAt - now };
    if (batch.stoppedAt === undefined) {
      await stopStragglers(parts, timer, batch);
      await parts.checkpoint("batch.stopped");
      await markStopped(parts, timer);
      return { retryInMs: agent.delegation.graceMs };
    }
    const graceEndsAt = batch.stoppedAt + agent.delegation.graceMs;
    if (now < graceEndsAt) return { retryInMs: graceEndsAt - now };
    const change = await fireAtCeiling(parts, timer);
    await afterGate(parts, timer, change);
  }
  const patienceEndsAt = batch.ceilingAt + AMENDMENT_SLACK_MS;
  if (now < patienceEndsAt) return { retryInMs: patienceEndsAt - now };
  await afterGate(parts, timer, await amendNow(parts, timer));
  return ack;
};

/** They end by themselves, with what they have to say; who does not is left behind after the grace (B3). */
const stopStragglers = async (parts: SubtaskParts, timer: BatchTimer, batch: Batch): Promise<void> => {
  const { tenant, agent } = timer;
  const stopRequestedAt = isoTime(parts.clock.now());
  const stragglers = openMembers(batch);
  const { turnId, standing, traceId } = batch;
  const fields = { batch: turnId, planId: standing.rootTurnId, owner: timer.ownerId, traceId };
  parts.logger.warn({ ...fields, subtasks: stragglers.map(({ id }) => id) }, "stopped at the ceiling");
  const asked = await Promise.all(
    stragglers.map(async ({ id }) => {
      const asking = changeSubtask(parts, { tenant, agent, id }, (subtask) =>
        hasEnded(subtask) || subtask.stopRequestedAt !== undefined ? subtask : { ...subtask, stopRequestedAt },
      );
      const found = await unlessUnreadable(asking);
      return { id, isLost: found === undefined };
    }),
  );
  const lost = asked.filter(({ isLost }) => isLost).map(({ id }) => id);
  if (lost.length > 0) await afterGate(parts, timer, await countLost(parts, timer, lost));
};
