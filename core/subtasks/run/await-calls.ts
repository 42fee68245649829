import type { Subtask, SubtaskNote } from "../../contract/subtask.ts";
import { waitForChange } from "../../turns/index.ts";
import type { SubtaskDeps } from "../deps.ts";
import { openCalls } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtask } from "../record/subtask-record.ts";

type Address = Pick<Subtask, "tenant" | "agent" | "id">;

/** Messages to other agents that a subtask has sent and that have no answer yet. */
export const outstandingCalls = async ({ store }: Pick<SubtaskDeps, "store">, subtask: Address): Promise<string[]> => {
  const { tenant, agent, id: ownerId } = subtask;
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches)
    .flatMap(openCalls)
    .map(({ id }) => id);
};

interface Options {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it has been told and not seen, if it may be called away. */
  unseen(subtask: Subtask): readonly SubtaskNote[];
}

/**
 * A subtask waits for other agents before it ends (S10); they have told it something by then, or its time is up. A
 * question of theirs, or a word of its owner, calls it away before that.
 */
export const waitForCalls = async (
  deps: SubtaskDeps,
  subtask: Address,
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
