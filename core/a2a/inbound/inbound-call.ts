import { INBOUND_CHANNEL, type InboundTaskAddress } from "../../contract/messages/addresses.ts";
import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import type { InboundCall, Said } from "../../contract/messages/inbound-call.ts";
import { type SyntheticMessage, syntheticMessage } from "../../contract/messages/user-message.ts";
import type { DelegationContext } from "../../contract/messages/work-context.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import type { TurnRecord } from "../../turns/index.ts";
import { traceIdOf } from "../../turns/index.ts";
import type { InboundTask } from "./inbound-task.ts";

/** After this time the gateway creates a task that core has not stored yet. */
export const NOTED_AFTER_MS = 1_000;

/** The call that a message carries, if any. */
export const callIn = ({ synthetic }: SyntheticMessage): InboundCall | undefined =>
  synthetic.type === "task" ? synthetic.data.a2a : undefined;

/** The message that starts the call's turn in the session of its caller and context. Deterministic. */
export const inboundMessage = (call: InboundCall): SyntheticMessage => {
  const { tenant, agent, caller, id, contextId, isNewContext, skill, said, sentAt, extension, trace } = call;
  const sessionId = inboundSessionOf(call);
  const messageId = inboundMessageId(call, said);
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
    asker: { personId: `a2a:${caller}`, accountId: caller, name: caller },
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
export const inboundMessageId = ({ tenant, agent, caller, id }: InboundTaskAddress, said: Pick<Said, "id">): string =>
  stableId("a2a", tenant, agent, caller, id, said.id);

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
