import type { PublishOutcome } from "../../contract/bus.ts";
import type { Checkpoint } from "../../contract/checkpoint.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import { orderKey } from "../../contract/user-message.ts";
import type { TaskParts } from "./change-task.ts";
import { changeTask, inState, withSaid } from "./change-task.ts";
import { noteForeignTrace } from "./foreign-trace.ts";
import type { InboundCall } from "./inbound-call.ts";
import { inboundMessage, newTask } from "./inbound-call.ts";
import type { InboundTask, Webhook } from "./inbound-task.ts";

/**
 * Takes a call. The message is stored before its task: whoever dies after that leaves a task that core makes and ends,
 * and never one that nobody works on.
 */
export const publishCall = async (
  parts: TaskParts & { readonly checkpoint: Checkpoint },
  call: InboundCall,
): Promise<PublishOutcome> => {
  const message = inboundMessage(call);
  await parts.checkpoint("a2a.before");
  const subject = subjectsOf(call.tenant).userMessage(call.agent);
  const outcome = await parts.bus.publish(subject, message, { id: message.id, key: orderKey(message) });
  await parts.checkpoint("a2a.published");
  if (call.trace !== undefined) await noteForeignTrace(parts.store, message);
  return outcome;
};

/** Makes its task, or adds to the one that it goes on with. */
export const noteCall = async (
  parts: TaskParts & { readonly checkpoint: Checkpoint },
  call: InboundCall,
): Promise<InboundTask> => {
  const task = await changeTask(parts, call, (known) => (known === undefined ? newTask(call) : resumed(known, call)));
  await parts.checkpoint("a2a.stored");
  return task ?? newTask(call);
};

/** Core may have been faster: then there is nothing left to note but what the caller said. */
const resumed = (task: InboundTask, call: InboundCall): InboundTask => {
  const { said, webhook, sentAt } = call;
  const isHeard = task.said.some(({ id }) => id === said.id);
  const heard = withWebhook(withSaid(task, said), webhook);
  if (isHeard || task.state !== "input-required") return heard;
  return inState(heard, { state: "submitted", statusAt: sentAt });
};

/** One with the same id takes the other's place. */
export const withWebhook = (task: InboundTask, webhook: Webhook | undefined): InboundTask => {
  if (webhook === undefined || isDeepSame(task, webhook)) return task;
  return { ...task, webhooks: [...task.webhooks.filter(({ id }) => id !== webhook.id), webhook] };
};

const isDeepSame = ({ webhooks }: InboundTask, webhook: Webhook): boolean =>
  webhooks.some((known) => JSON.stringify(known) === JSON.stringify(webhook));
