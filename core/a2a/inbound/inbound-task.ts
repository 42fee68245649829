import { z } from "zod";
import { InboundTaskAddress, type InboundTaskOwner } from "../../contract/messages/addresses.ts";
import { TaskMessage, Webhook } from "../../contract/messages/inbound-call.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { type Bus, RETENTION_MS } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, MAX_VALUE_BYTES, prefixOf, type Store } from "../../contract/ports/store.ts";
import { LastRead, update } from "../../contract/ports/update.ts";

export const TaskState = z.enum(["submitted", "working", "input-required", "completed", "failed", "canceled"]);
export type TaskState = z.infer<typeof TaskState>;

/** A task of a calling agent. A single record, so that every change is one compare-and-set. */
export const InboundTask = InboundTaskAddress.extend({
  contextId: z.string(),
  skill: z.string().optional(),
  state: TaskState,
  /** Text of the status. */
  note: z.string().optional(),
  statusAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  /** Number of status changes. */
  changes: z.int().nonnegative(),
  said: z.array(TaskMessage),
  answer: z.string().optional(),
  /** Question of the turn to the caller. */
  question: z.looseObject({ turnId: z.string(), text: z.string() }).optional(),
  /** The task has started subtasks. */
  delegated: z.boolean().optional(),
  /** Ids of the messages whose turns have ended. */
  ended: z.array(z.string()),
  webhooks: z.array(Webhook),
});
export type InboundTask = z.infer<typeof InboundTask>;

const tasks = collection("a2a-tasks", InboundTask, { ttlMs: RETENTION_MS });

export const taskKey = ({ tenant, agent, caller, id }: InboundTaskAddress) => keyOf(tasks, tenant, agent, caller, id);

/** Cache of recent writes for the requests that wait for them; small, because tasks may be large. */
const tasksRead = new LastRead<InboundTask>(256);

export const readTask = async (store: Store, address: InboundTaskAddress): Promise<InboundTask | undefined> =>
  (await tasksRead.get(store, taskKey(address)))?.value;

/**
 * An ended task from the cache. Ends are final, so the store need not be asked. Saves the only read of an awaited call: 8 to
 * 24 % of its CPU on NATS (docs/performance.md, Saved round trips).
 */
export const cachedEnd = (store: Store, address: InboundTaskAddress): InboundTask | undefined => {
  const task = tasksRead.peek(store, taskKey(address))?.value;
  return task && hasEnded(task) ? task : undefined;
};

export const hasEnded = ({ state }: Pick<InboundTask, "state">): boolean =>
  state === "completed" || state === "failed" || state === "canceled";

/** The task has ended or waits for its caller. */
export const isAtRest = (task: Pick<InboundTask, "state">): boolean =>
  hasEnded(task) || task.state === "input-required";

/** Index entry of a task, so that a list reads only the tasks on its page. */
const TaskSummary = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  state: TaskState,
  statusAt: z.iso.datetime(),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

/** Keyed by the day of the latest status: a page reads only the days that it covers. */
const index = collection("a2a-task-index", TaskSummary, { ttlMs: RETENTION_MS });

const DAY_MS = 24 * 3_600_000;

export const dayOf = (time: string): string => time.slice(0, 10);

const summaryKey = ({ tenant, agent, caller, id, statusAt }: InboundTask) =>
  keyOf(index, tenant, agent, caller, dayOf(statusAt), id);

const indexTask = async (store: Store, task: InboundTask): Promise<void> => {
  const { id, contextId, state, statusAt } = task;
  await store.put(summaryKey(task), { id, contextId, state, statusAt });
};

/** Deletes the old entry if the status moved to another day. */
const unindexTask = async (store: Store, before: InboundTask, after: InboundTask): Promise<void> => {
  if (dayOf(before.statusAt) !== dayOf(after.statusAt)) await store.delete(summaryKey(before));
};

/** Prefix of one day of a caller's tasks, unordered. */
export const summariesOn = ({ tenant, agent, caller }: InboundTaskOwner, day: string) =>
  prefixOf(index, tenant, agent, caller, day);

/** The days within the retention of tasks, newest first. */
export const daysBefore = (time: number): string[] =>
  Array.from({ length: RETENTION_MS / DAY_MS + 1 }, (_, n) => dayOf(isoTime(time - n * DAY_MS)));

export interface TaskDeps {
  readonly bus: Bus;
  readonly store: Store;
}

/**
 * Changes a task by compare-and-set and signals the change. If `change` returns the same object, nothing is written.
 * `isNew`: the task did not exist a moment ago, so the first attempt skips the read; a conflict detects a race. Saves 8 to
 * 10 % of the CPU of an awaited call on NATS (docs/performance.md, Saved round trips).
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
    const value = fitToStore(changed);
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
export const withStatus = (
  task: InboundTask,
  status: Pick<InboundTask, "state" | "statusAt" | "note">,
): InboundTask => {
  const { note: _, ...rest } = task;
  return { ...rest, ...status, changes: task.changes + 1 };
};

/** Idempotent by the message's id. */
export const withMessage = (task: InboundTask, said: TaskMessage): InboundTask =>
  task.said.some(({ id }) => id === said.id) ? task : { ...task, said: [...task.said, said] };

const MAX_TASK_BYTES = MAX_VALUE_BYTES - 32_000;

/** Drops the oldest messages until the record fits into the store. The answer is never cut. */
const fitToStore = (task: InboundTask): InboundTask => {
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
