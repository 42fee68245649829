import type { Outcome } from "../../contract/bus.ts";
import { ack } from "../../contract/bus.ts";
import type { Clock } from "../../contract/clock.ts";
import { isoTime } from "../../contract/clock.ts";
import type { InboundTaskAddress } from "../../contract/inbound-task.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import { cancelSubtask, readOwner, type SubtaskParts } from "../../subtasks/index.ts";
import type { TaskParts } from "./change-task.ts";
import { changeTask, inState } from "./change-task.ts";
import { inboundSessionOf } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";
import { hasEnded } from "./inbound-task.ts";
import { tellWebhooks } from "./tell-webhooks.ts";

/** A caller no longer wants its task. Stored as a wish first, so that core ends it if this process dies half-way. */
export const cancelTask = async (
  parts: TaskParts & { readonly clock: Clock },
  address: InboundTaskAddress,
): Promise<InboundTask | undefined> => {
  const { tenant, agent, caller, id } = address;
  const key = `${caller}/${id}`;
  const subject = subjectsOf(tenant).a2aTaskCancelled(agent);
  await parts.bus.publish(subject, { tenant, agent, caller, id }, { id: `${key}/cancel`, key });
  return markCancelled(parts, address);
};

const markCancelled = async (parts: TaskParts & { readonly clock: Clock }, address: InboundTaskAddress) => {
  const task = await changeTask(parts, address, (known) => {
    if (known === undefined || hasEnded(known)) return known;
    return inState(known, {
      state: "canceled",
      statusAt: isoTime(parts.clock.now()),
      note: "Cancelled by the caller.",
    });
  });
  if (task?.state === "canceled") await tellWebhooks(parts, task);
  return task;
};

/** Ends what the task has delegated. Its turn under way stops by itself when it hears of the change. */
export const handleTaskCancelled = async (parts: SubtaskParts, address: InboundTaskAddress): Promise<Outcome> => {
  const { tenant, agent } = address;
  const task = await markCancelled(parts, address);
  if (task?.state !== "canceled") return ack;
  const ownerId = inboundSessionOf(task);
  const { batches } = await readOwner(parts.store, { tenant, agent, ownerId });
  const open = Object.values(batches)
    .filter(({ origin }) => origin.taskId === task.id)
    .flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const { id } of open) await cancelSubtask(parts, { tenant, agent, id }, "the caller no longer wants it");
  return ack;
};
