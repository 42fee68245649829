import { z } from "zod";
import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import type { InboundCall, Webhook } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { orderKey, type SyntheticMessage } from "../../contract/messages/user-message.ts";
import { type PublishOutcome, RETENTION_MS } from "../../contract/ports/bus.ts";
import type { Checkpoint } from "../../contract/ports/checkpoint.ts";
import { collection, keyOf } from "../../contract/ports/collection.ts";
import type { Store } from "../../contract/ports/store.ts";
import { otelTraceId } from "../../telemetry/index.ts";
import { turnIdOf } from "../../turns/index.ts";
import { changeTask, inState, type TaskDeps, withSaid } from "./change-task.ts";
import { inboundMessage, newTask } from "./inbound-call.ts";
import type { InboundTask } from "./inbound-task.ts";

/**
 * Publishes a call. The message is stored before its task, so that a crash in between leaves a message from which core
 * creates the task, and never a task without a turn.
 */
export const publishCall = async (
  deps: TaskDeps & { readonly checkpoint: Checkpoint },
  call: InboundCall,
): Promise<PublishOutcome> => {
  const message = inboundMessage(call);
  await deps.checkpoint("a2a.before");
  const subject = subjectsOf(call.tenant).userMessage(call.agent);
  const outcome = await deps.bus.publish(subject, message, { id: message.id, key: orderKey(message) });
  await deps.checkpoint("a2a.published");
  if (call.trace !== undefined) await noteForeignTrace(deps.store, message);
  return outcome;
};

/** Creates the call's task, or adds the call to the task that it continues. */
export const noteCall = async (
  deps: TaskDeps & { readonly checkpoint: Checkpoint },
  call: InboundCall,
): Promise<InboundTask> => {
  const task = await changeTask(deps, call, (known) => (known === undefined ? newTask(call) : resumed(known, call)));
  await deps.checkpoint("a2a.stored");
  return task ?? newTask(call);
};

/** Core may have updated the task already; then only the caller's message is added. */
const resumed = (task: InboundTask, call: InboundCall): InboundTask => {
  const { said, webhook, sentAt } = call;
  const isKnown = task.said.some(({ id }) => id === said.id);
  const updated = withWebhook(withSaid(task, said), webhook);
  if (isKnown || task.state !== "input-required") return updated;
  return inState(updated, { state: "submitted", statusAt: sentAt });
};

/** A webhook with the same id is replaced. */
export const withWebhook = (task: InboundTask, webhook: Webhook | undefined): InboundTask => {
  if (webhook === undefined || hasWebhook(task, webhook)) return task;
  return { ...task, webhooks: [...task.webhooks.filter(({ id }) => id !== webhook.id), webhook] };
};

const hasWebhook = ({ webhooks }: InboundTask, webhook: Webhook): boolean =>
  webhooks.some((known) => JSON.stringify(known) === JSON.stringify(webhook));

/** The latest turn of a caller's trace, because a foreign trace id cannot be derived from a turn id. */
const ForeignTrace = z.looseObject({ turnId: z.string() });

const traces = collection("foreign-traces", ForeignTrace, { ttlMs: RETENTION_MS });

const traceKey = ({ tenant, agent }: AgentRef, traceId: string) => keyOf(traces, tenant, agent, traceId);

const noteForeignTrace = async (store: Store, message: SyntheticMessage): Promise<void> => {
  await store.put(traceKey(message, otelTraceId(message.traceId)), { turnId: turnIdOf(message) });
};

/** Looks up the turn by the OpenTelemetry trace id. */
export const readForeignTrace = async (store: Store, agent: AgentRef, traceId: string): Promise<string | undefined> =>
  (await store.get(traceKey(agent, traceId)))?.value.turnId;
