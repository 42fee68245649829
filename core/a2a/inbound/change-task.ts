import type { InboundTaskAddress } from "../../contract/addresses.ts";
import { RevisionConflict } from "../../contract/app-error.ts";
import type { Bus } from "../../contract/bus.ts";
import { MAX_VALUE_BYTES, type Store } from "../../contract/store.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import { type InboundTask, indexTask, type Said, taskKey, tasksRead, unindexTask } from "./inbound-task.ts";

export interface TaskDeps {
  readonly bus: Bus;
  readonly store: Store;
}

/**
 * Changes a task by compare-and-set and signals the change. If `change` returns the same object, nothing is written.
 * `isNew`: the task did not exist a moment ago, so the first attempt skips the read; a conflict detects a race.
 */
export const changeTask = async (
  { bus, store }: TaskDeps,
  address: InboundTaskAddress,
  change: (task: InboundTask | undefined) => InboundTask | undefined | Promise<InboundTask | undefined>,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<InboundTask | undefined> => {
  const key = taskKey(address);
  let hadConflict = false;
  for (;;) {
    const stored = isNew && !hadConflict ? undefined : await tasksRead.get(store, key);
    const before = stored?.value;
    const changed = await change(before);
    if (changed === undefined || changed === before) {
      // Our index entry may have overwritten the one of the process that won the race.
      if (hadConflict && changed !== undefined) await indexTask(store, changed);
      return changed;
    }
    const value = fitted(changed);
    const isStatusChange = hadConflict || before?.changes !== value.changes;
    try {
      // In parallel, the index entry first: a task missing in lists would be worse than a stale entry.
      const indexed = isStatusChange ? indexTask(store, value) : undefined;
      const [revision] = await Promise.all([store.put(key, value, { ifRevision: stored?.revision ?? 0 }), indexed]);
      tasksRead.note(store, key, { value, revision });
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      hadConflict = true;
      continue;
    }
    if (isStatusChange && before !== undefined) await unindexTask(store, before, value);
    const { tenant, agent, caller, id } = value;
    bus.signal(subjectsOf(tenant).a2aTaskChanged(agent), { tenant, agent, caller, id });
    return value;
  }
};

/** The task with a new status. */
export const inState = (task: InboundTask, status: Pick<InboundTask, "state" | "statusAt" | "note">): InboundTask => {
  const { note: _, ...rest } = task;
  return { ...rest, ...status, changes: task.changes + 1 };
};

/** Idempotent by the message's id. */
export const withSaid = (task: InboundTask, said: Said): InboundTask =>
  task.said.some(({ id }) => id === said.id) ? task : { ...task, said: [...task.said, said] };

const MAX_TASK_BYTES = MAX_VALUE_BYTES - 32_000;

/** Drops the oldest messages until the record fits into the store. The answer is never cut. */
const fitted = (task: InboundTask): InboundTask => {
  let fit = task;
  while (fit.said.length > 0 && Buffer.byteLength(JSON.stringify(fit)) > MAX_TASK_BYTES) {
    fit = { ...fit, said: fit.said.slice(1) };
  }
  return fit;
};

/** Queues a notification about the status for each active webhook, with ids that deduplicate repeats. */
export const notifyWebhooks = async ({ bus }: Pick<TaskDeps, "bus">, task: InboundTask): Promise<void> => {
  const { tenant, agent, caller, id, changes, webhooks } = task;
  const subject = subjectsOf(tenant).a2aPush(agent);
  const due = webhooks.filter(({ isOff }) => !isOff);
  await Promise.all(
    due.map((webhook) => {
      const key = `${caller}/${id}/${webhook.id}`;
      const notification = { tenant, agent, caller, id, webhook: webhook.id, change: changes };
      return bus.publish(subject, notification, { id: `${key}/${changes}`, key });
    }),
  );
};
