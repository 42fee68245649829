import { RevisionConflict } from "../../contract/app-error.ts";
import type { Bus } from "../../contract/bus.ts";
import type { InboundTaskAddress } from "../../contract/inbound-task.ts";
import type { Store } from "../../contract/store.ts";
import { MAX_VALUE_BYTES } from "../../contract/store.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import type { InboundTask, Said } from "./inbound-task.ts";
import { taskKey, tasksRead } from "./inbound-task.ts";
import { indexTask, unindexTask } from "./task-index.ts";

export interface TaskParts {
  readonly bus: Bus;
  readonly store: Store;
}

/**
 * Changes a task by compare-and-set and tells everybody who looks at it. The same task back: nothing is written.
 * `isNew`: it was not there a moment ago, and is not looked for again; the write finds out if it is there now.
 */
export const changeTask = async (
  { bus, store }: TaskParts,
  address: InboundTaskAddress,
  change: (task: InboundTask | undefined) => InboundTask | undefined | Promise<InboundTask | undefined>,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<InboundTask | undefined> => {
  const key = taskKey(address);
  let hasLost = false;
  for (;;) {
    const stored = isNew && !hasLost ? undefined : await tasksRead.get(store, key);
    const before = stored?.value;
    const changed = await change(before);
    if (changed === undefined || changed === before) {
      // Whoever was first may have been overtaken in the index.
      if (hasLost && changed !== undefined) await indexTask(store, changed);
      return changed;
    }
    const value = fitted(changed);
    const isNews = hasLost || before?.changes !== value.changes;
    try {
      // Together, but the entry first: a task that nobody could find in a list would be worse than an entry too many.
      const indexed = isNews ? indexTask(store, value) : undefined;
      const [revision] = await Promise.all([store.put(key, value, { ifRevision: stored?.revision ?? 0 }), indexed]);
      tasksRead.note(store, key, { value, revision });
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      hasLost = true;
      continue;
    }
    if (isNews && before !== undefined) await unindexTask(store, before, value);
    const { tenant, agent, caller, id } = value;
    bus.signal(subjectsOf(tenant).a2aTaskChanged(agent), { tenant, agent, caller, id });
    return value;
  }
};

/** In a new status. */
export const inState = (task: InboundTask, status: Pick<InboundTask, "state" | "statusAt" | "note">): InboundTask => {
  const { note: _, ...rest } = task;
  return { ...rest, ...status, changes: task.changes + 1 };
};

/** Saying it again changes nothing. */
export const withSaid = (task: InboundTask, said: Said): InboundTask =>
  task.said.some(({ id }) => id === said.id) ? task : { ...task, said: [...task.said, said] };

const MAX_TASK_BYTES = MAX_VALUE_BYTES - 32_000;

/** Without as many of the oldest words as must go so that the store takes it. The answer is never touched. */
const fitted = (task: InboundTask): InboundTask => {
  let fit = task;
  while (fit.said.length > 0 && Buffer.byteLength(JSON.stringify(fit)) > MAX_TASK_BYTES) {
    fit = { ...fit, said: fit.said.slice(1) };
  }
  return fit;
};
