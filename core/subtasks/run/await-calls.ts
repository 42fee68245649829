import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask, SubtaskNote } from "../../contract/messages/subtask.ts";
import { waitForChange } from "../../lib/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { openCalls } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtask } from "../record/subtask-record.ts";

/** Ids of the open calls of a subtask to other agents. */
export const outstandingCalls = async (
  { store }: Pick<SubtaskDeps, "store">,
  subtask: SubtaskAddress,
): Promise<string[]> => {
  const { tenant, agent, id: ownerId } = subtask;
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches)
    .flatMap(openCalls)
    .map(({ id }) => id);
};

interface Options {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The unread notes; empty if notes must not interrupt the wait. */
  unseen(subtask: Subtask): readonly SubtaskNote[];
}

/** Waits until the open calls end (S10) or time out. A question of a peer or a note of the owner ends the wait. */
export const waitForCalls = async (
  deps: SubtaskDeps,
  subtask: SubtaskAddress,
  { timeoutMs, signal, unseen }: Options,
): Promise<void> => {
  const { clock, store, events: subtaskEvents, callEvents } = deps;
  const ids = await outstandingCalls(deps, subtask);
  if (ids.length === 0) return;
  const events = {
    watch(calls: readonly string[], changed: (record: { readonly id: string }) => void) {
      const ends = [callEvents.watch(calls, changed), subtaskEvents.watch([subtask.id], changed)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
  const read = async () => {
    const open = await outstandingCalls(deps, subtask);
    const is = await readSubtask(store, subtask);
    return open.length === 0 || (is !== undefined && unseen(is).some((note) => isUrgent(note, open)));
  };
  await waitForChange({ clock, events, ids, timeoutMs, signal, read, isDone: (isOver) => isOver });
};

const isUrgent = ({ id, from }: SubtaskNote, open: readonly string[]): boolean =>
  from === undefined || open.some((call) => id.startsWith(`${call}/`));
