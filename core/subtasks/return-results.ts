import type { Subtask } from "../contract/subtask.ts";
import { afterGate } from "./after-gate.ts";
import { batchOf, takeReturned } from "./gate.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** A call returns these results itself: their batches no longer wait for them. */
export const returnResults = async (
  parts: SubtaskParts,
  ended: readonly Subtask[],
  idempotencyKey: string,
): Promise<void> => {
  const byTurn = new Map<string, Subtask[]>();
  for (const subtask of ended) byTurn.set(subtask.parentTurnId, [...(byTurn.get(subtask.parentTurnId) ?? []), subtask]);
  for (const [first, ...rest] of byTurn.values()) {
    if (first === undefined) continue;
    const ids = [first, ...rest].map(({ id }) => id);
    await afterGate(parts, first, await takeReturned(parts, batchOf(first), ids, idempotencyKey));
  }
};
