import { subjectsOf } from "../contract/subjects.ts";
import type { Standing } from "../turns/standing.ts";
import type { SubtaskParts } from "./subtask-parts.ts";

interface From {
  readonly tenant: string;
  readonly agent: string;
  readonly standing: Standing;
}

/**
 * Has the bus look after a batch, whatever becomes of this process: the guard in case its turn never ends, the ceiling
 * once it has. A subtask watches its own children.
 */
export const setBatchTimer = async (
  { bus }: SubtaskParts,
  { tenant, agent, standing }: From,
  turnId: string,
  purpose: "guard" | "ceiling",
): Promise<void> => {
  if (standing.owner.ownerType === "worker") return;
  const id = `batch-${turnId}/${purpose}`;
  const timer = { tenant, agent, ownerId: standing.owner.ownerId, turnId };
  await bus.publish(subjectsOf(tenant).batchTimer(agent), timer, { id, key: id });
};
