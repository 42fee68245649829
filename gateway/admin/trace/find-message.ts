import type { Store } from "../../../core/contract/store.ts";
import { readSubtask } from "../../../core/subtasks/subtask-record.ts";
import type { TurnRecord } from "../../../core/turns/turn-record.ts";
import { turnKey, turnsOfAgent } from "../../../core/turns/turn-record.ts";
import type { ManagedAgent } from "../managed-agents.ts";
import { messageIdOf } from "./shown-turn.ts";

export interface FoundTurn {
  readonly messageId: string;
  readonly record: TurnRecord;
}

/**
 * The turn that began the work that an id belongs to: of a message, a turn, a reply, a subtask, or a trace. By the id of
 * that message it is one read; by any other all turns of the agent are looked through.
 */
export const findMessage = async (store: Store, place: ManagedAgent, id: string): Promise<FoundTurn | undefined> => {
  const found = (await byMessage(store, place, id)) ?? (await byOtherId(store, place, id));
  if (found === undefined) return undefined;
  const { turnId, standing } = found.record;
  if (standing.rootTurnId === turnId) return found;
  return (await scan(store, place, (record) => record.turnId === standing.rootTurnId)) ?? found;
};

const byMessage = async (store: Store, place: ManagedAgent, id: string): Promise<FoundTurn | undefined> => {
  const stored = await store.get(turnKey({ ...place, id }));
  return stored && { messageId: id, record: stored.value };
};

const byOtherId = async (store: Store, place: ManagedAgent, id: string): Promise<FoundTurn | undefined> => {
  const subtask = /^subtask-[0-9a-f]{8}$/.test(id) ? await readSubtask(store, { ...place, id }) : undefined;
  const wanted = subtask?.planId ?? id.replace(/\/(?:final|notice|trouble)$/, "");
  return scan(store, place, ({ turnId, traceId }) => turnId === wanted || traceId === wanted);
};

const scan = async (
  store: Store,
  place: ManagedAgent,
  isIt: (record: TurnRecord) => boolean,
): Promise<FoundTurn | undefined> => {
  for await (const { key, value } of store.list(turnsOfAgent(place))) {
    if (isIt(value)) return { messageId: messageIdOf(key), record: value };
  }
  return undefined;
};
