import { z } from "zod";
import { type AgentRef, INBOUND_CHANNEL, type InboundTaskAddress } from "../../contract/messages/addresses.ts";
import type { InboundCall, TaskMessage, Webhook } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { orderKey, type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import type { Cause, DelegationContext } from "../../contract/messages/work-context.ts";
import { type PublishOutcome, RETENTION_MS } from "../../contract/ports/bus.ts";
import { collection, keyOf, type Store } from "../../contract/ports/store.ts";
import type { Checkpoint } from "../../contract/ports/telemetry.ts";
import { otelTraceId, stableId, summarisePrompt } from "../../lib/index.ts";
import { type TurnRecord, traceIdOf, turnIdOf } from "../../turns/record/index.ts";
import { changeTask, type InboundTask, type TaskDeps, withMessage, withStatus } from "./inbound-task.ts";

/** After this time the gateway creates a task that core has not stored yet. */
export const RECORD_AFTER_MS = 1_000;

/** The call that a message carries, if any. */
export const callIn = ({ synthetic }: SyntheticMessage): InboundCall | undefined =>
  synthetic.type === "task" ? synthetic.data.a2a : undefined;

/** The message that starts the call's turn in the session of its caller and context. Deterministic. */
export const inboundMessage = (call: InboundCall): SyntheticMessage => {
  const { tenant, agent, caller, id, contextId, isNewContext, skill, said, sentAt, extension, trace } = call;
  const sessionId = inboundSessionOf(call);
  const messageId = inboundMessageId(call, said);
  const causes: Cause[] = [{ speaker: "peer", id: caller }];
  const work = {
    sessionId,
    standing: {
      owner: {
        ownerType: "orchestrator",
        ownerId: sessionId,
        worksFor: { kind: "a2a-task", tenant, agent, id },
      },
      background: true,
      ...(extension && {
        chain: { root: extension.rootCorrelationId, hops: extension.hops, lastHopAt: Date.parse(sentAt) },
      }),
    },
    origin: {
      channel: INBOUND_CHANNEL,
      promptSummary: callTitle(caller, skill?.name),
      startedAt: sentAt,
      sessionId,
      taskId: id,
    },
    audience: {
      conversation: { channel: INBOUND_CHANNEL, room: caller, thread: contextId, kind: "private" },
      personId: null,
      accountId: caller,
    },
    asker: { personId: `a2a:${caller}`, accountId: caller, name: caller, causes },
    traceId: trace ?? traceIdOf({ tenant, agent, id: messageId }),
  } as const;
  return syntheticMessage(call, work, {
    id: messageId,
    type: "task",
    at: sentAt,
    text: said.text,
    ...(isNewContext && { isFirst: true }),
    data: { a2a: call },
  });
};

/** Id of the message that carries a caller's message of a task. */
export const inboundMessageId = (
  { tenant, agent, caller, id }: InboundTaskAddress,
  said: Pick<TaskMessage, "id">,
): string => stableId("a2a", tenant, agent, caller, id, said.id);

/** Each caller has a separate session per context. */
export const inboundSessionOf = (call: Pick<InboundCall, "tenant" | "agent" | "caller" | "contextId">): string =>
  stableId("s", "a2a", call.tenant, call.agent, call.caller, call.contextId);

/** Name of a call for people (O5). */
const callTitle = (caller: string, skill: string | undefined): string =>
  summarisePrompt(skill === undefined ? caller : `${caller} · ${skill}`);

/** The task that a first message creates. */
export const newTask = (call: InboundCall): InboundTask => {
  const { tenant, agent, caller, id, contextId, skill, said, webhook, sentAt } = call;
  return {
    tenant,
    agent,
    caller,
    id,
    contextId,
    ...(skill !== undefined && { skill: skill.id }),
    state: "submitted",
    statusAt: sentAt,
    createdAt: sentAt,
    changes: 0,
    said: [said],
    ended: [],
    webhooks: webhook === undefined ? [] : [webhook],
  };
};

type Addressed = Pick<TurnRecord, "origin" | "audience">;

/** The inbound task of a turn. Turns of subtasks have none: they report to their parent turn, not to the caller. */
export const taskOfTurn = (
  self: AgentRef,
  turn: Addressed,
  { depth }: Pick<DelegationContext, "depth">,
): InboundTaskAddress | undefined => (depth === 0 ? taskOf(self, turn) : undefined);

/** The inbound task of a message. A request to another local agent has none: that agent answers ours, not the caller. */
export const taskOfMessage = (message: SyntheticMessage): InboundTaskAddress | undefined =>
  message.synthetic.owner.worksFor?.kind === "peer-call" ? undefined : taskOf(message, message.synthetic);

const taskOf = ({ tenant, agent }: AgentRef, { origin, audience }: Addressed): InboundTaskAddress | undefined => {
  const { conversation, accountId } = audience;
  if (conversation.channel !== INBOUND_CHANNEL || origin.taskId === undefined || accountId === undefined) {
    return undefined;
  }
  return { tenant, agent, caller: accountId, id: origin.taskId };
};

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
  if (call.trace !== undefined) await saveForeignTrace(deps.store, message);
  return outcome;
};

/** Creates the call's task, or adds the call to the task that it continues. */
export const recordCall = async (
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
  const updated = withWebhook(withMessage(task, said), webhook);
  if (isKnown || task.state !== "input-required") return updated;
  return withStatus(updated, { state: "submitted", statusAt: sentAt });
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

const saveForeignTrace = async (store: Store, message: SyntheticMessage): Promise<void> => {
  await store.put(traceKey(message, otelTraceId(message.traceId)), { turnId: turnIdOf(message) });
};

/** Looks up the turn by the OpenTelemetry trace id. */
export const readForeignTrace = async (store: Store, agent: AgentRef, traceId: string): Promise<string | undefined> =>
  (await store.get(traceKey(agent, traceId)))?.value.turnId;
