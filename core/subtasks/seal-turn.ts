import { releaseCalls } from "../a2a/settle-call.ts";
import type { Agent } from "../turns/agent.ts";
import type { TurnRecord } from "../turns/turn-record.ts";
import { afterGate } from "./after-gate.ts";
import { cancelSubtask } from "./cancel-subtask.ts";
import { sealBatch } from "./gate.ts";
import { setBatchTimer } from "./set-batch-timer.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** The end of a turn that has delegated, before its message is acknowledged. Doing it again changes nothing. */
export const sealTurn = async (
  parts: SubtaskParts,
  agent: Agent,
  turn: Pick<TurnRecord, "turnId" | "standing">,
): Promise<void> => {
  const place = { tenant: agent.tenant, agent: agent.name };
  const change = await sealBatch(parts, agent, turn);
  await parts.checkpoint("batch.sealed");
  if (change === undefined) return;
  await setBatchTimer(parts, place, change.after);
  // A call that waited for these was cut off with its turn: nobody would hear of them.
  const orphans = change.after.members.filter(({ reports, ended }) => reports === "blocking" && !ended);
  for (const { id } of orphans) await cancelSubtask(parts, { ...place, id }, "the turn that waited for it has ended");
  await releaseCalls(parts, place, change.after);
  await afterGate(parts, place, change);
};
