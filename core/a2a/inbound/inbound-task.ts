import { z } from "zod";
import type { InboundTaskOwner } from "../../contract/messages/addresses.ts";
import { InboundTaskAddress } from "../../contract/messages/addresses.ts";
import { Said, Webhook } from "../../contract/messages/inbound-call.ts";
import { RETENTION_MS } from "../../contract/ports/bus.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { collection, keyOf, prefixOf } from "../../contract/ports/collection.ts";
import { LastRead } from "../../contract/ports/last-read.ts";
import type { Store } from "../../contract/ports/store.ts";

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
  said: z.array(Said),
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
export const tasksRead = new LastRead<InboundTask>(256);

export const readTask = async (store: Store, address: InboundTaskAddress): Promise<InboundTask | undefined> =>
  (await tasksRead.get(store, taskKey(address)))?.value;

/** An ended task from the cache. Ends are final, so the store need not be asked. */
export const seenEnd = (store: Store, address: InboundTaskAddress): InboundTask | undefined => {
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

export const indexTask = async (store: Store, task: InboundTask): Promise<void> => {
  const { id, contextId, state, statusAt } = task;
  await store.put(summaryKey(task), { id, contextId, state, statusAt });
};

/** Deletes the old entry if the status moved to another day. */
export const unindexTask = async (store: Store, before: InboundTask, after: InboundTask): Promise<void> => {
  if (dayOf(before.statusAt) !== dayOf(after.statusAt)) await store.delete(summaryKey(before));
};

/** Prefix of one day of a caller's tasks, unordered. */
export const summariesOn = ({ tenant, agent, caller }: InboundTaskOwner, day: string) =>
  prefixOf(index, tenant, agent, caller, day);

/** The days within the retention of tasks, newest first. */
export const daysBefore = (time: number): string[] =>
  Array.from({ length: RETENTION_MS / DAY_MS + 1 }, (_, n) => dayOf(isoTime(time - n * DAY_MS)));
