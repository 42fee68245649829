import type { Subtask as SubtaskRecord } from "../../core/contract/messages/subtask.ts";
import type { Asker, ReplyOrigin } from "../../core/contract/messages/work-context.ts";
import { otelTraceId } from "../../core/telemetry/index.ts";
import type { Subtask } from "../admin-api/index.ts";
import { refOf } from "./page.ts";

/** The view of an origin for operators: it quotes no more of a person's message than an anchor does. */
export const shownOrigin = ({ channel, promptSummary, startedAt, sessionId, link }: ReplyOrigin) => ({
  channel,
  promptSummary,
  startedAt,
  sessionId,
  ...(link !== undefined && { link }),
});

export const shownAsker = ({ personId, accountId, name }: Asker) => ({ personId, accountId, name });

export const shownSubtask = (subtask: SubtaskRecord): Subtask => {
  const { id, agent, tenant, name, agentType, status, depth, createdAt, traceId } = subtask;
  const { parentSubtaskId, note, result, startedAt, completedAt } = subtask;
  return {
    ref: refOf(agent, id),
    id,
    agent,
    tenant,
    name,
    agentType,
    status,
    depth,
    ...(parentSubtaskId !== undefined && { parent: parentSubtaskId }),
    origin: shownOrigin(subtask.origin),
    asker: shownAsker(subtask.asker),
    ...(note !== undefined && { note }),
    ...(result !== undefined && { result: result.status }),
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(completedAt !== undefined && { completedAt }),
    traceId: otelTraceId(traceId),
  };
};
