import { z } from "zod";
import { INBOUND_CHANNEL, InboundTaskAddress } from "../../contract/addresses.ts";
import type { AgentRef } from "../../contract/agent-ref.ts";
import type { UserMessage } from "../../contract/user-message.ts";
import { stableId, summarisePrompt } from "../../lib/index.ts";
import type { TurnRecord } from "../../turns/records/index.ts";
import { traceIdOf } from "../../turns/records/index.ts";
import { ReplyOriginExtension } from "../record/hops.ts";
import { type InboundTask, Said, Webhook } from "./inbound-task.ts";

/** A message of a calling agent. It travels complete, so that core can create the task if the gateway crashes. */
export const InboundCall = InboundTaskAddress.extend({
  contextId: z.string(),
  /** The caller named no context, so the gateway created this one; it has no other task yet. */
  isNewContext: z.literal(true).optional(),
  /** The caller waits for the answer, so the gateway does not store the task before NOTED_AFTER_MS. */
  isAwaited: z.literal(true).optional(),
  skill: z.looseObject({ id: z.string(), name: z.string() }).optional(),
  said: Said,
  webhook: Webhook.optional(),
  sentAt: z.iso.datetime(),
  extension: ReplyOriginExtension.optional(),
  /** Trace of the caller, which the work joins. */
  trace: z.string().optional(),
});
export type InboundCall = z.infer<typeof InboundCall>;

/** After this time the gateway creates a task that core has not stored yet. */
export const NOTED_AFTER_MS = 1_000;

/** Parsed calls by their raw data, because a turn reads its call several times. */
const parsed = new WeakMap<object, InboundCall>();

/** The call that a message carries, if any. */
export const callIn = ({ synthetic }: Pick<UserMessage, "synthetic">): InboundCall | undefined => {
  const data = synthetic?.type === "task" ? synthetic.data?.a2a : undefined;
  if (typeof data !== "object" || data === null) return undefined;
  const call = parsed.get(data) ?? InboundCall.safeParse(data).data;
  if (call !== undefined) parsed.set(data, call);
  return call;
};

/** The message that starts the call's turn in the session of its caller and context. Deterministic. */
export const inboundMessage = (call: InboundCall): UserMessage => {
  const { tenant, agent, caller, id, contextId, isNewContext, skill, said, sentAt, extension, trace } = call;
  const sessionId = inboundSessionOf(call);
  const conversation = { channel: INBOUND_CHANNEL, room: caller, thread: contextId, kind: "private" as const };
  const asker = { personId: `a2a:${caller}`, accountId: caller, name: caller };
  const messageId = inboundMessageId(call, said);
  return {
    id: messageId,
    tenant,
    agent,
    conversation,
    account: { id: caller, name: caller },
    text: said.text,
    attachments: [],
    synthetic: {
      type: "task",
      sessionId,
      ...(isNewContext && { isFirst: true }),
      origin: {
        channel: INBOUND_CHANNEL,
        promptSummary: callTitle(caller, skill?.name),
        startedAt: sentAt,
        sessionId,
        taskId: id,
      },
      audience: { conversation, personId: null, accountId: caller },
      asker,
      owner: { ownerType: "orchestrator", ownerId: sessionId, worksFor: { kind: "a2a-task", tenant, agent, id } },
      background: true,
      ...(extension && {
        chain: { root: extension.rootCorrelationId, hops: extension.hops, lastHopAt: Date.parse(sentAt) },
      }),
      data: { a2a: call },
    },
    sentAt,
    traceId: trace ?? traceIdOf({ tenant, agent, id: messageId }),
  };
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
  turn: Addressed & { readonly standing: Pick<TurnRecord["standing"], "depth"> },
): InboundTaskAddress | undefined => (turn.standing.depth === 0 ? taskOf(self, turn) : undefined);

/** The inbound task of a message. A request to another local agent has none: that agent answers ours, not the caller. */
export const taskOfMessage = (message: UserMessage): InboundTaskAddress | undefined =>
  message.synthetic && message.synthetic.owner.worksFor?.kind !== "peer-call"
    ? taskOf(message, message.synthetic)
    : undefined;

const taskOf = ({ tenant, agent }: AgentRef, { origin, audience }: Addressed): InboundTaskAddress | undefined => {
  const { conversation, accountId } = audience;
  if (conversation.channel !== INBOUND_CHANNEL || origin.taskId === undefined || accountId === undefined) {
    return undefined;
  }
  return { tenant, agent, caller: accountId, id: origin.taskId };
};
