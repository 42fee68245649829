import { AppError } from "../../contract/app-error.ts";
import type { AgentRef, SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { SubtaskUpdate } from "../../contract/messages/signals.ts";
import { hasEnded, Subtask } from "../../contract/messages/subtask.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import type { Clock } from "../../contract/ports/clock.ts";
import { collection, keyOf, prefixOf, type Store, type Stored } from "../../contract/ports/store.ts";
import { LastRead, putIfUnchanged } from "../../contract/ports/update.ts";
import { type ChangeEvents, waitForChange } from "../../lib/index.ts";

const subtasks = collection("subtasks", Subtask, { ttlMs: RETENTION_MS });

export const subtaskKey = ({ tenant, agent, id }: SubtaskAddress) => keyOf(subtasks, tenant, agent, id);
export const subtasksOfAgent = ({ tenant, agent }: AgentRef) => prefixOf(subtasks, tenant, agent);

/** Most reads happen in the process that wrote last. The cache is small, because records can be large. */
export const subtasksRead = new LastRead<Subtask>(500);

export const readSubtask = async (store: Store, address: SubtaskAddress): Promise<Subtask | undefined> =>
  (await subtasksRead.get(store, subtaskKey(address)))?.value;

/**
 * Reads a subtask from the cache if that record has ended, because it no longer changes. Saves 6 of 13 reads for a batch
 * of three, and on NATS 10 % of CPU and 13 % of time (docs/performance.md, Saved round trips).
 */
export const readSubtaskCached = async (store: Store, address: SubtaskAddress): Promise<Subtask | undefined> => {
  const known = subtasksRead.peek(store, subtaskKey(address))?.value;
  return known !== undefined && hasEnded(known) ? known : readSubtask(store, address);
};

/** Revision 0 creates the subtask. Undefined: another process has changed or created it. */
export const writeSubtask = async (
  store: Store,
  value: Subtask,
  knownRevision: number,
): Promise<Stored<Subtask> | undefined> => {
  const key = subtaskKey(value);
  const revision = await putIfUnchanged(store, key, value, knownRevision);
  if (revision === undefined) return undefined;
  subtasksRead.note(store, key, { value, revision });
  return { value, revision };
};

/** Returns the subtasks in the order of `ids`, without expired and corrupt ones. */
export const readSubtasks = async (
  store: Store,
  { tenant, agent }: AgentRef,
  ids: readonly string[],
): Promise<Subtask[]> => {
  const read = await Promise.all(ids.map((id) => undefinedIfCorrupt(readSubtaskCached(store, { tenant, agent, id }))));
  return read.filter((subtask) => subtask !== undefined);
};

/** Treats a corrupt record as missing, so that nothing waits for it. */
export const undefinedIfCorrupt = async <T>(reading: Promise<T | undefined>): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.code === "data-unusable") return undefined;
    throw error;
  }
};

interface WaitDeps {
  readonly clock: Clock;
  readonly store: Store;
  readonly events: ChangeEvents<SubtaskUpdate>;
}

interface WaitOptions {
  readonly agentRef: AgentRef;
  readonly ids: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called on every change, without expired subtasks. */
  isDone(subtasks: readonly Subtask[]): boolean;
}

/** Resolves to the subtasks once `isDone`, or at the timeout. Rejects if the signal is aborted. */
export const waitForSubtasks = ({ clock, events, store }: WaitDeps, wait: WaitOptions): Promise<Subtask[]> =>
  waitForChange<Subtask[]>({ ...wait, clock, events, read: () => readSubtasks(store, wait.agentRef, wait.ids) });
