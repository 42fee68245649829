import type { Outcome } from "../contract/bus.ts";
import { ack } from "../contract/bus.ts";
import { isoTime } from "../contract/clock.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { BatchTimer } from "../contract/subtask-message.ts";
import type { Agent } from "../turns/agent.ts";
import { afterGate } from "./after-gate.ts";
import { type Batch, isSettled, openMembers } from "./batch.ts";
import { changeSubtask } from "./change-subtask.ts";
import { AMENDMENT_SLACK_MS, ceilingMs } from "./config.ts";
import { amendNow, countLost, fireAtCeiling, markStopped } from "./gate.ts";
import { readOwner } from "./owner-record.ts";
import { sealTurn } from "./seal-turn.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

export interface TimerParts extends SubtaskParts {
  /** A turn that has not ended long after this never will: its process died too often. */
  readonly turnDeadlineMs: number;
}

/** Looks at a batch when its next moment has come. The bus holds the timer in between, also across deaths. */
export const handleBatchTimer = async (parts: TimerParts, agent: Agent, timer: BatchTimer): Promise<Outcome> => {
  const batch = (await readOwner(parts.store, timer)).batches[timer.turnId];
  if (batch === undefined || isSettled(batch)) return ack;
  const now = parts.clock.now();
  if (batch.sealedAt === undefined || batch.ceilingAt === undefined) return guard(parts, agent, batch, now);
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

/** Its turn is still running, or died: the ceiling counts from its end, so it cannot come before this. */
const guard = async (parts: TimerParts, agent: Agent, batch: Batch, now: number): Promise<Outcome> => {
  const ceiling = ceilingMs(agent.delegation, batch.standing.background);
  if (now < batch.openedAt + ceiling) return { retryInMs: batch.openedAt + ceiling - now };
  if (now < batch.openedAt + 2 * parts.turnDeadlineMs) return { retryInMs: ceiling };
  parts.logger.warn({ batch: batch.turnId, traceId: batch.traceId }, "a turn never ended: its batch is sealed");
  await sealTurn(parts, agent, batch);
  return { retryInMs: ceiling };
};

/** They end by themselves, with what they have to say; who does not is left behind after the grace (B3). */
const stopStragglers = async (parts: SubtaskParts, timer: BatchTimer, batch: Batch): Promise<void> => {
  const { tenant, agent } = timer;
  const stopRequestedAt = isoTime(parts.clock.now());
  const asked = await Promise.all(
    openMembers(batch).map(async ({ id }) => {
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
