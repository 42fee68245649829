import type { InboundTaskAddress } from "../../contract/messages/addresses.ts";
import type { Said } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { Bus } from "../../contract/ports/bus.ts";
import { MAX_VALUE_BYTES, type Store } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { type InboundTask, indexTask, taskKey, tasksRead, unindexTask } from "./inbound-task.ts";

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
  let isStatusChange = false;
  let indexed: Promise<void> | undefined;
  const fitAndIndex = async (stored: InboundTask | undefined, attempt: number) => {
    const changed = await change(stored);
    if (changed === undefined || changed === stored) return stored;
    const value = fitted(changed);
    isStatusChange = attempt > 1 || stored?.changes !== value.changes;
    // Starts before the write of the task, in parallel: a task missing in lists would be worse than a stale entry.
    indexed = isStatusChange ? indexTask(store, value) : undefined;
    indexed?.catch(() => undefined);
    return value;
  };
  const options = { cache: tasksRead, ...(isNew && { known: "absent" as const }) };
  const { outcome, before, after, attempts } = await update(store, taskKey(address), fitAndIndex, options);
  if (after === undefined) return undefined;
  if (outcome === "unchanged") {
    // Our index entry may have overwritten the one of the process that won the race.
    if (attempts > 1) await indexTask(store, after);
    return after;
  }
  await indexed;
  if (isStatusChange && before !== undefined) await unindexTask(store, before, after);
  const { tenant, agent, caller, id } = after;
  bus.signal(subjectsOf(tenant).a2aTaskChanged(agent), { tenant, agent, caller, id });
  return after;
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
