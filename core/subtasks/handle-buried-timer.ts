import type { DeadLetter } from "../contract/dead-letter.ts";
import type { BatchTimer } from "../contract/subtask-message.ts";
import type { Agent } from "../turns/index.ts";
import { afterGate } from "./after-gate.ts";
import { isSettled } from "./batch.ts";
import { fireAtCeiling } from "./gate.ts";
import { lastResort } from "./last-resort.ts";
import { readOwner } from "./owner-record.ts";
import { sealTurn } from "./seal-turn.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** Nobody looks after the batch any more: it fires now, rather than never (B3). Who is still out is late (B4). */
export const handleBuriedTimer = async (
  parts: SubtaskParts,
  agent: Agent,
  timer: BatchTimer | undefined,
  letter: DeadLetter,
): Promise<void> => {
  if (timer === undefined) return;
  await lastResort(parts.logger, letter, async () => {
    const batch = (await readOwner(parts.store, timer)).batches[timer.turnId];
    if (batch === undefined || isSettled(batch)) return;
    if (batch.sealedAt === undefined) await sealTurn(parts, agent, batch, undefined);
    await afterGate(parts, timer, await fireAtCeiling(parts, timer));
  });
};
