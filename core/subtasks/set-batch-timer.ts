import { subjectsOf } from "../contract/subjects.ts";
import type { ToolContext } from "../turns/tool.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

/** Has the bus look after a batch, whatever becomes of this process. A subtask watches its own children. */
export const setBatchTimer = async (
  { bus }: SubtaskParts,
  { tenant, agent, standing, turnId }: ToolContext,
): Promise<void> => {
  if (standing.owner.ownerType === "worker") return;
  const id = `batch-${turnId}/timer`;
  const timer = { tenant, agent, ownerId: standing.owner.ownerId, turnId };
  await bus.publish(subjectsOf(tenant).batchTimer(agent), timer, { id, key: id });
};
