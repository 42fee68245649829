import type { Store } from "../../contract/store.ts";
import { isOutstanding, readOwner } from "../../subtasks/index.ts";
import { inboundSessionOf } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";

/** Whether others still work on a task. */
export const hasOpenWork = async (store: Store, task: InboundTask): Promise<boolean> => {
  const { tenant, agent, id, ended } = task;
  const { batches } = await readOwner(store, { tenant, agent, ownerId: inboundSessionOf(task) });
  return Object.values(batches).some((batch) => batch.origin.taskId === id && isOutstanding(batch, ended));
};
