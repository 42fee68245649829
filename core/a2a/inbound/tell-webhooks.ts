import { subjectsOf } from "../../contract/subjects.ts";
import type { TaskParts } from "./change-task.ts";
import type { InboundTask } from "./inbound-task.ts";

/** Queues the news of a task's status for each of its webhooks. The same status has the same ids. */
export const tellWebhooks = async ({ bus }: Pick<TaskParts, "bus">, task: InboundTask): Promise<void> => {
  const { tenant, agent, caller, id, changes, webhooks } = task;
  const subject = subjectsOf(tenant).a2aPush(agent);
  const due = webhooks.filter(({ isOff }) => !isOff);
  await Promise.all(
    due.map((webhook) => {
      const key = `${caller}/${id}/${webhook.id}`;
      const news = { tenant, agent, caller, id, webhook: webhook.id, change: changes };
      return bus.publish(subject, news, { id: `${key}/${changes}`, key });
    }),
  );
};
