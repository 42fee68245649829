import type { TurnEntry } from "../sessions/index.ts";
import type { Agent, TurnRecord } from "../turns/index.ts";
import { afterGate } from "./after-gate.ts";
import type { Batch } from "./batch.ts";
import { cancelSubtask } from "./cancel-subtask.ts";
import { countLost, sealBatch } from "./gate.ts";
import { setBatchTimer } from "./set-batch-timer.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

type Place = { readonly tenant: string; readonly agent: string };

/** The end of a turn that has delegated, before its message is acknowledged. Doing it again changes nothing. */
export const sealTurn = async (
  parts: SubtaskParts,
  agent: Agent,
  turn: Pick<TurnRecord, "turnId" | "standing">,
  /** Undefined: it never came to an end of its own. */
  outcome: TurnEntry["outcome"] | undefined,
): Promise<void> => {
  const place = { tenant: agent.tenant, agent: agent.name };
  const change = await sealBatch(parts, agent, turn);
  await parts.checkpoint("batch.sealed");
  if (change === undefined) return;
  await setBatchTimer(parts, place, change.after);
  const lost = await releaseMembers(parts, place, change.after);
  if (lost.length > 0) {
    const batch = { ...place, ownerId: turn.standing.owner.ownerId, turnId: turn.turnId };
    await afterGate(parts, place, await countLost(parts, batch, lost));
  }
  const hasFailed = outcome !== "answered" && outcome !== "nothing";
  await parts.calls.release(parts, place, change.after, { hasFailed });
  await afterGate(parts, place, change);
};

/**
 * A call that waited for these was cut off with its turn: nobody would hear of them. Resolves to those that were never
 * really begun; the batch's timer finds those that belong into the one answer.
 */
const releaseMembers = async (parts: SubtaskParts, place: Place, { members }: Batch): Promise<string[]> => {
  const lost: string[] = [];
  for (const { id, reports } of members.filter((member) => member.reports !== "batch" && !member.ended)) {
    const address = { ...place, id };
    const found =
      reports === "blocking"
        ? await cancelSubtask(parts, address, "the turn that waited for it has ended")
        : await unlessUnreadable(readSubtask(parts.store, address));
    if (found === undefined) lost.push(id);
  }
  return lost;
};
