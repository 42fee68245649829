import type { Store } from "../../contract/store.ts";
import { countedMembers } from "../../subtasks/batch.ts";
import { callbackIdOf, synthesisIdOf } from "../../subtasks/continuation-ids.ts";
import { readOwner } from "../../subtasks/owner-record.ts";
import { inboundSessionOf } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";

/** Whether others still work on a task: a subtask or another agent, or results whose own turn has not ended yet. */
export const hasOpenWork = async (store: Store, task: InboundTask): Promise<boolean> => {
  const { tenant, agent, id, ended } = task;
  const { batches } = await readOwner(store, { tenant, agent, ownerId: inboundSessionOf(task) });
  return Object.values(batches)
    .filter(({ origin }) => origin.taskId === id)
    .some((batch) => {
      const isOut = batch.members.some((member) => member.reports !== "blocking" && !member.awaitedBy && !member.ended);
      // The turn of an answer may end before its call is counted as ended.
      const isAsked = batch.calls?.some(
        (call) => (!call.ended || call.isLater) && !ended.includes(callbackIdOf(call.id)),
      );
      return isOut || isAsked || (countedMembers(batch).length > 0 && !ended.includes(synthesisIdOf(batch.turnId)));
    });
};
