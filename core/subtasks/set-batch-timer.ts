import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask } from "../contract/subtask.ts";
import { type Batch, openMembers } from "./batch.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/**
 * Has the bus look after a sealed batch that waits for somebody, whatever becomes of this process. A subtask watches
 * its own children.
 */
export const setBatchTimer = async (
  { bus }: SubtaskParts,
  { tenant, agent }: Pick<Subtask, "tenant" | "agent">,
  batch: Batch,
): Promise<void> => {
  const { turnId, standing } = batch;
  if (standing.owner.ownerType === "worker" || openMembers(batch).length === 0) return;
  const id = `batch-${turnId}/timer`;
  const timer = { tenant, agent, ownerId: standing.owner.ownerId, turnId };
  await bus.publish(subjectsOf(tenant).batchTimer(agent), timer, { id, key: id });
};
