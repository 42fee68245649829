import { readForeignTrace } from "../../../core/a2a/inbound/index.ts";
import { readCall } from "../../../core/a2a/index.ts";
import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import type { Store } from "../../../core/contract/ports/store.ts";
import { otelTraceId } from "../../../core/lib/index.ts";
import { readSubtask } from "../../../core/subtasks/index.ts";
import { type TurnRecord, turnIdOf, turnKeyById } from "../../../core/turns/record/index.ts";

export interface FoundTurn {
  readonly messageId: string;
  readonly record: TurnRecord;
}

/**
 * Finds the root turn of the work that an id belongs to: of a message, a turn, a reply, a subtask, a message to another
 * agent, or a trace. Every kind of id resolves by a few key reads, without a scan.
 */
export const findMessage = async (store: Store, agentRef: AgentRef, id: string): Promise<FoundTurn | undefined> => {
  const read = async (turnId: string | undefined): Promise<FoundTurn | undefined> => {
    const record = turnId === undefined ? undefined : (await store.get(turnKeyById(agentRef, turnId)))?.value;
    return record && { messageId: record.messageId ?? "", record };
  };
  const found = (await read(turnIdOf({ ...agentRef, id }))) ?? (await read(await turnOf(store, agentRef, id)));
  if (found === undefined) return undefined;
  const { turnId, standing: delegationContext } = found.record;
  return delegationContext.rootTurnId === turnId ? found : ((await read(delegationContext.rootTurnId)) ?? found);
};

const turnOf = async (store: Store, agentRef: AgentRef, id: string): Promise<string | undefined> => {
  const [, turnId] = /^(t-[0-9a-f]{32})(?:\/|$)/.exec(id) ?? [];
  if (turnId !== undefined) return turnId;
  if (/^subtask-[0-9a-f]{8}$/.test(id)) return (await readSubtask(store, { ...agentRef, id }))?.planId;
  if (/^call-[0-9a-f]{12}$/.test(id)) return (await readCall(store, { ...agentRef, id }))?.standing.rootTurnId;
  const traceId = otelTraceId(id);
  return (await readForeignTrace(store, agentRef, traceId)) ?? `t-${traceId}`;
};
