import { RETENTION_MS } from "../contract/bus.ts";
import { collection, keyOf, prefixOf } from "../contract/collection.ts";
import { LastRead } from "../contract/last-read.ts";
import type { Store, Stored } from "../contract/store.ts";
import { hasEnded, Subtask } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

const subtasks = collection("subtasks", Subtask, { ttlMs: RETENTION_MS });

export const subtaskKey = ({ tenant, agent, id }: SubtaskAddress) => keyOf(subtasks, tenant, agent, id);
export const subtasksOfAgent = ({ tenant, agent }: Pick<SubtaskAddress, "tenant" | "agent">) =>
  prefixOf(subtasks, tenant, agent);

/**
 * A subtask is read by everybody who has to do with it, mostly in the process that wrote it last. They may be large, and
 * are asked for while they run, so only few are kept.
 */
export const subtasksRead = new LastRead<Subtask>(500);

export const readSubtask = async (store: Store, address: SubtaskAddress): Promise<Subtask | undefined> =>
  (await subtasksRead.get(store, subtaskKey(address)))?.value;

/** The same, without a look if this process knows that it has ended: it does not change any more. */
export const recallSubtask = async (store: Store, address: SubtaskAddress): Promise<Subtask | undefined> => {
  const known = subtasksRead.peek(store, subtaskKey(address))?.value;
  return known !== undefined && hasEnded(known) ? known : readSubtask(store, address);
};

/** Rejects with RevisionConflict; 0 creates it. */
export const writeSubtask = async (store: Store, value: Subtask, ifRevision: number): Promise<Stored<Subtask>> => {
  const key = subtaskKey(value);
  const stored = { value, revision: await store.put(key, value, { ifRevision }) };
  subtasksRead.note(store, key, stored);
  return stored;
};

/** In the order asked for; one that has expired, or cannot be read, is left out. */
export const readSubtasks = async (
  store: Store,
  place: Pick<SubtaskAddress, "tenant" | "agent">,
  ids: readonly string[],
): Promise<Subtask[]> => {
  const { tenant, agent } = place;
  const read = await Promise.all(ids.map((id) => unlessUnreadable(recallSubtask(store, { tenant, agent, id }))));
  return read.filter((subtask) => subtask !== undefined);
};
