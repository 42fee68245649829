import type { AgentRef } from "../../core/contract/messages/addresses.ts";
import { subjectsOf } from "../../core/contract/messages/subjects.ts";
import type { Subtask as SubtaskRecord } from "../../core/contract/messages/subtask.ts";
import type { Asker, ReplyOrigin } from "../../core/contract/messages/work-context.ts";
import { deadLetterKey } from "../../core/contract/ports/bus.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { INTAKE_DURABLE } from "../../core/intake/index.ts";
import { otelTraceId } from "../../core/lib/index.ts";
import type { SessionHistory, TurnEntry } from "../../core/sessions/index.ts";
import type { TurnRecord } from "../../core/turns/record/index.ts";
import type { Subtask, Turn } from "../admin-api/index.ts";
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

export interface TurnEnd {
  readonly at: string;
  readonly outcome: TurnEntry["outcome"];
  /** Absent if the turn's message became a dead letter. */
  readonly entry?: TurnEntry;
}

/**
 * The end of a turn; undefined while it runs. The turn's record does not change at its end, so the end is its entry in
 * the session's history. A turn whose message became a dead letter has no entry and counts as failed.
 */
export const readTurnEnd = async (
  { store, history }: { readonly store: Store; readonly history: SessionHistory },
  { tenant, agent }: AgentRef,
  { sessionId, index, turnId, messageId, command }: TurnRecord,
): Promise<TurnEnd | undefined> => {
  // A command is answered at once and writes no history.
  if (command !== undefined) return undefined;
  const entry = await history.endedTurn(sessionId, index, turnId);
  if (entry !== undefined) return { at: entry.at, outcome: entry.outcome, entry };
  if (messageId === undefined) return undefined;
  const letter = (await store.get(deadLetterKey(INTAKE_DURABLE, messageId)))?.value;
  const isItsOwn = letter?.subject === subjectsOf(tenant).userMessage(agent).name;
  return letter !== undefined && isItsOwn ? { at: letter.deadAt, outcome: "failed" } : undefined;
};

/** A turn without its text. `end` is absent while it runs. */
export const shownTurn = (record: TurnRecord, end?: TurnEnd): Turn => {
  const { turnId, messageId = "", sessionId, openedAt, origin, cause, command } = record;
  return {
    turnId,
    sessionId,
    messageId,
    trigger: cause?.trigger ?? (command === undefined ? "message" : "command"),
    ...(command !== undefined && { command }),
    openedAt,
    ...(end && { endedAt: end.at, outcome: end.outcome }),
    ...(end?.entry?.model !== undefined && { model: end.entry.model }),
    ...(end?.entry?.suppressed && { suppressed: true }),
    ...(end?.entry?.degraded && { degraded: true }),
    summary: origin.promptSummary,
  };
};
