import type { Subtask } from "../contract/messages/subtask.ts";
import type { SpanRecord } from "../contract/ports/telemetry.ts";
import type { ToolContext } from "../contract/tool.ts";
import type { StepResponse } from "../model/index.ts";
import type { TurnEntry } from "../sessions/index.ts";
import { rootSpanId, subtaskSpanId, toolSpanId, turnSpanId, workSpanId } from "../telemetry/index.ts";
import type { TurnRecord } from "./record/index.ts";
import type { Agent, Turn } from "./turn.ts";

interface Time {
  /** Wall clock, milliseconds. */
  readonly endedAt: number;
  readonly seconds: number;
}

const between = ({ endedAt, seconds }: Time) => ({ startedAt: endedAt - seconds * 1_000, endedAt });

/** A turn of a session, from its opening to its end, across all processes that ran it. */
export const turnSpan = (
  agent: Agent,
  record: TurnRecord,
  { outcome }: Pick<TurnEntry, "outcome">,
  { parentId, endedAt }: { readonly parentId: string; readonly endedAt: number },
): SpanRecord => ({
  traceId: record.traceId,
  id: turnSpanId(record.turnId),
  parentId,
  name: `invoke_agent ${agent.name}`,
  kind: "internal",
  startedAt: Date.parse(record.openedAt),
  endedAt,
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    ...modelAttributes(agent.model.label),
    "gen_ai.agent.name": agent.name,
    "gen_ai.conversation.id": record.sessionId,
    "mooring.tenant": agent.tenant,
    "mooring.turn.id": record.turnId,
    "mooring.trigger": record.cause?.trigger ?? "message",
    "mooring.outcome": outcome,
  },
  error: outcome === "failed" ? "failed" : undefined,
});

interface StepOutcome {
  /** The label of the model that was asked. */
  readonly model: string;
  readonly outcome: string;
  readonly response: StepResponse | undefined;
}

/** One request to a model. */
export const stepSpan = (
  { agent, record, signal }: Turn,
  { model, outcome, response, ...time }: Time & StepOutcome,
): SpanRecord => ({
  traceId: record.traceId,
  parentId: workSpanId({ tenant: agent.tenant, agent: agent.name, turnId: record.turnId }, record.standing),
  name: `chat ${model}`,
  kind: "client",
  ...between(time),
  attributes: {
    "gen_ai.operation.name": "chat",
    ...modelAttributes(model),
    "gen_ai.agent.name": agent.name,
    "gen_ai.conversation.id": record.sessionId,
    "gen_ai.usage.input_tokens": response?.usage.inputTokens,
    "gen_ai.usage.output_tokens": response?.usage.outputTokens,
    "gen_ai.response.finish_reasons": response && [response.finish],
  },
  error: signal.aborted ? "aborted" : outcome === "answered" ? undefined : outcome,
});

/** One run of a tool. */
export const toolSpan = (
  context: ToolContext,
  {
    tool,
    callId,
    outcome,
    ...time
  }: Time & { readonly tool: string; readonly callId: string; readonly outcome: string },
): SpanRecord => ({
  traceId: context.traceId,
  id: toolSpanId(context.idempotencyKey),
  parentId: workSpanId(context, context.delegationContext),
  name: `execute_tool ${tool}`,
  kind: "internal",
  ...between(time),
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callId,
    "gen_ai.agent.name": context.agent,
  },
  error: context.signal.aborted ? "aborted" : outcome === "done" ? undefined : outcome,
});

/** A subtask, from its creation to its end. Its parent is the tool call that created it. */
export const subtaskSpan = (subtask: Subtask, now: number): SpanRecord => ({
  traceId: subtask.traceId,
  id: subtaskSpanId(subtask),
  parentId: callOf(subtask),
  name: `invoke_agent ${subtask.agent}`,
  kind: "internal",
  startedAt: Date.parse(subtask.createdAt),
  endedAt: subtask.completedAt === undefined ? now : Date.parse(subtask.completedAt),
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": subtask.agent,
    "mooring.tenant": subtask.tenant,
    "mooring.subtask.id": subtask.id,
    "mooring.subtask.depth": subtask.depth,
    "mooring.subtask.runs": subtask.runs,
    "mooring.outcome": subtask.result?.status ?? subtask.status,
  },
  error: subtask.status === "failed" ? (subtask.result?.status ?? "failed") : undefined,
});

/** A call key is "<call>/<number of the task>". */
const callOf = ({ callKey, traceId }: Subtask): string => {
  const end = callKey.lastIndexOf("/");
  return end < 0 ? rootSpanId(traceId) : toolSpanId(callKey.slice(0, end));
};

/** A label is "<provider>/<model>", or one word for both. */
const modelAttributes = (label: string) => {
  const slash = label.indexOf("/");
  return {
    "gen_ai.provider.name": slash < 0 ? label : label.slice(0, slash),
    "gen_ai.request.model": slash < 0 ? label : label.slice(slash + 1),
  };
};
