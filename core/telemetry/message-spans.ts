import { hash } from "node:crypto";
import type { AgentRef, PeerCallAddress, SubtaskAddress } from "../contract/messages/addresses.ts";
import type { AgentReply } from "../contract/messages/agent-reply.ts";
import type { ShownMessage, SyntheticMessage, UserMessage } from "../contract/messages/user-message.ts";
import type { DelegationContext } from "../contract/messages/work-context.ts";
import type { Outcome } from "../contract/ports/bus.ts";
import type { SpanRecord } from "../contract/ports/telemetry.ts";
import { foreignParent } from "../lib/index.ts";

/** A deterministic span id: the same parts give the same id in every process and after a crash. */
const spanId = (...parts: readonly string[]): string => hash("sha256", JSON.stringify(parts), "hex").slice(0, 16);

/** The first span of the work, and the parent of all spans without a closer one. */
export const rootSpanId = (traceId: string): string => spanId("root", traceId);

/** Ids of parent spans, derived from fields that the records of their children have. */
export const turnSpanId = (turnId: string): string => spanId("turn", turnId);
export const subtaskSpanId = ({ tenant, agent, id }: SubtaskAddress): string => spanId("subtask", tenant, agent, id);
export const peerCallSpanId = ({ tenant, agent, id }: PeerCallAddress): string => spanId("call", tenant, agent, id);
/** The span id of a tool call, derived from the call's idempotency key. */
export const toolSpanId = (callKey: string): string => spanId("tool", callKey);
export const replySpanId = (replyId: string): string => spanId("reply", replyId);
/** One run of a message's handler. */
export const runSpanId = ({ tenant, agent, id }: AgentRef & Pick<UserMessage, "id">, run: number): string =>
  spanId("run", tenant, agent, id, String(run));

/** The parent span of a turn's steps and calls. All turns of a subtask share one span. */
export const workSpanId = (
  { tenant, agent, turnId }: AgentRef & { readonly turnId: string },
  { subtaskId: id }: Pick<DelegationContext, "subtaskId">,
): string => (id === undefined ? turnSpanId(turnId) : subtaskSpanId({ tenant, agent, id }));

/** A message that gets a span; reports of shown replies do not. */
export type TracedMessage = Exclude<UserMessage, ShownMessage>;

/** The destination of a message on the bus, with times. */
export interface BusOperation {
  /** "nats", or "mooring" for the embedded bus. */
  readonly system: string;
  readonly destination: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly error?: string | undefined;
}

/** Span of a message stored for the agent; a message that begins work is the root of its trace. */
export const messageSpan = (message: TracedMessage, operation: BusOperation): SpanRecord => ({
  ...published(operation),
  traceId: message.traceId,
  id: messageSpanId(message),
  parentId: continuesWork(message) ? parentOfMessage(message) : foreignParent(message.traceId),
  attributes: { ...sending(operation, message.id), ...aboutMessage(message) },
});

/** Span of one run of the message handler. */
export const runSpan = (
  message: TracedMessage,
  run: { readonly number: number; readonly durable: string; readonly outcome?: Outcome | undefined },
  operation: BusOperation,
): SpanRecord => ({
  traceId: message.traceId,
  id: runSpanId(message, run.number),
  parentId: messageSpanId(message),
  name: `process ${operation.destination}`,
  kind: "consumer",
  startedAt: operation.startedAt,
  endedAt: operation.endedAt,
  attributes: {
    ...messaging(operation, message.id),
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
    "messaging.consumer.group.name": run.durable,
    "mooring.run": run.number,
    ...aboutMessage(message),
  },
  error: operation.error ?? (run.outcome && "deadLetter" in run.outcome ? "dead-letter" : undefined),
});

/** Span of a reply stored for the channels. */
export const replySpan = (reply: AgentReply, operation: BusOperation): SpanRecord => ({
  ...published(operation),
  traceId: reply.traceId,
  id: replySpanId(reply.id),
  parentId: parentOfReply(reply),
  attributes: {
    ...sending(operation, reply.id),
    "messaging.message.conversation_id": reply.correlationId,
    "gen_ai.agent.name": reply.agent,
    "mooring.tenant": reply.tenant,
    "mooring.reply.kind": reply.kind,
    "mooring.reply.outcome": reply.outcome,
  },
});

const published = ({ destination, startedAt, endedAt, error }: BusOperation) =>
  ({ name: `publish ${destination}`, kind: "producer", startedAt, endedAt, error }) as const;

const messaging = ({ system, destination }: BusOperation, id: string) => ({
  "messaging.system": system,
  "messaging.destination.name": destination,
  "messaging.message.id": id,
});

const sending = (operation: BusOperation, id: string) => ({
  ...messaging(operation, id),
  "messaging.operation.name": "publish",
  "messaging.operation.type": "send",
});

const aboutMessage = (message: TracedMessage) => ({
  "gen_ai.agent.name": message.agent,
  "mooring.tenant": message.tenant,
  "mooring.channel": message.conversation.channel,
  "mooring.command": message.kind === "command" ? message.command.name : undefined,
  "mooring.trigger": message.kind === "synthetic" ? message.synthetic.type : message.kind,
});

const continuesWork = (message: TracedMessage): message is SyntheticMessage =>
  message.kind === "synthetic" && message.synthetic.type !== "task";

const messageSpanId = (message: TracedMessage): string =>
  continuesWork(message) ? spanId("message", message.tenant, message.agent, message.id) : rootSpanId(message.traceId);

/** The span of the call, the subtask or the turn that the message continues. */
const parentOfMessage = ({ id, tenant, agent, synthetic, traceId }: SyntheticMessage): string => {
  const { owner, rootTurnId } = synthetic;
  if (synthetic.type === "peer" && owner.worksFor) return peerCallSpanId(owner.worksFor);
  if (synthetic.type === "callback" && synthetic.data)
    return peerCallSpanId({ tenant, agent, id: synthetic.data.call });
  if (synthetic.type === "wake-up" && synthetic.data) {
    return subtaskSpanId({ tenant, agent, id: synthetic.data.subtask });
  }
  const turnId = /^batch-(t-[0-9a-f]{32})\//.exec(id)?.[1] ?? rootTurnId;
  return turnId === undefined ? rootSpanId(traceId) : turnSpanId(turnId);
};

/** The final reply of a turn has the turn as its parent. Notices and activity entries may precede the end of a turn. */
const parentOfReply = ({ id, traceId }: AgentReply): string => {
  const turnId = /^(t-[0-9a-f]{32})\/final$/.exec(id)?.[1];
  return turnId === undefined ? rootSpanId(traceId) : turnSpanId(turnId);
};
