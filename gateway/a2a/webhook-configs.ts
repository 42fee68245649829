import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import {
  changeTask,
  type InboundTask,
  type TaskDeps,
  type Webhook,
  withWebhook,
} from "../../core/a2a/inbound/index.ts";
import type { InboundTaskAddress } from "../../core/contract/inbound-task.ts";

const MAX_WEBHOOKS = 10;

export const addWebhook = async (parts: TaskDeps, address: InboundTaskAddress, webhook: Webhook): Promise<void> => {
  await changeTask(parts, address, (task) => {
    if (task === undefined) throw new TaskNotFoundError();
    const changed = withWebhook(task, webhook);
    if (changed.webhooks.length <= MAX_WEBHOOKS) return changed;
    throw new RequestMalformedError(`a task has at most ${MAX_WEBHOOKS} push notification configurations`);
  });
};

export const removeWebhook = async (parts: TaskDeps, address: InboundTaskAddress, id: string): Promise<void> => {
  await changeTask(parts, address, (task) => {
    if (task === undefined) throw new TaskNotFoundError();
    if (!task.webhooks.some((webhook) => webhook.id === id)) return task;
    return { ...task, webhooks: task.webhooks.filter((webhook) => webhook.id !== id) };
  });
};

export const webhookOnWire = (task: Pick<InboundTask, "id">, webhook: Webhook): TaskPushNotificationConfig => {
  const { id, url, token = "", authentication } = webhook;
  const { scheme = "", credentials = "" } = authentication ?? {};
  return {
    tenant: "",
    id,
    taskId: task.id,
    url,
    token,
    authentication: authentication && { scheme, credentials },
  };
};
