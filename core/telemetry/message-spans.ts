import type { AgentReply } from "../contract/messages/agent-reply.ts";
import type { ShownMessage, SyntheticMessage, UserMessage } from "../contract/messages/user-message.ts";
import type { Outcome } from "../contract/ports/bus.ts";
import type { SpanRecord } from "../contract/ports/telemetry.ts";
import { foreignParent, rootSpanId, spanId } from "./trace-context.ts";
import { peerCallSpanId, replySpanId, runSpanId, subtaskSpanId, turnSpanId } from "./work-spans.ts";

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
