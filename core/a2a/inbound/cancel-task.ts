import type { InboundTaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { ack, type Outcome } from "../../contract/ports/bus.ts";
import { type Clock, isoTime } from "../../contract/ports/clock.ts";
import { cancelSubtask, readOwner, type SubtaskDeps } from "../../subtasks/index.ts";
import { changeTask, inState, notifyWebhooks, type TaskDeps } from "./change-task.ts";
import { inboundSessionOf } from "./inbound-call.ts";
import { hasEnded, type InboundTask } from "./inbound-task.ts";

/** Cancels a task for its caller. The request is published first, so that core completes it if this process crashes. */
export const cancelTask = async (
  deps: TaskDeps & { readonly clock: Clock },
  address: InboundTaskAddress,
): Promise<InboundTask | undefined> => {
  const { tenant, agent, caller, id } = address;
  const key = `${caller}/${id}`;
  const subject = subjectsOf(tenant).a2aTaskCancelled(agent);
  await deps.bus.publish(subject, { tenant, agent, caller, id }, { id: `${key}/cancel`, key });
  return markCancelled(deps, address);
};

const markCancelled = async (deps: TaskDeps & { readonly clock: Clock }, address: InboundTaskAddress) => {
  const task = await changeTask(deps, address, (known) => {
    if (known === undefined || hasEnded(known)) return known;
    return inState(known, {
      state: "canceled",
      statusAt: isoTime(deps.clock.now()),
      note: "Cancelled by the caller.",
    });
  });
  if (task?.state === "canceled") await notifyWebhooks(deps, task);
  return task;
};

/** Cancels the task's subtasks. Its running turn stops by itself when the change is signalled. */
export const handleTaskCancelled = async (deps: SubtaskDeps, address: InboundTaskAddress): Promise<Outcome> => {
  const { tenant, agent } = address;
  const task = await markCancelled(deps, address);
  if (task?.state !== "canceled") return ack;
  const ownerId = inboundSessionOf(task);
  const { batches } = await readOwner(deps.store, { tenant, agent, ownerId });
  const open = Object.values(batches)
    .filter(({ origin }) => origin.taskId === task.id)
    .flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const { id } of open) await cancelSubtask(deps, { tenant, agent, id }, "the caller no longer wants it");
  return ack;
};
