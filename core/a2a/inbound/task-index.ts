import { z } from "zod";
import { RETENTION_MS } from "../../contract/bus.ts";
import { isoTime } from "../../contract/clock.ts";
import { collection, keyOf, prefixOf } from "../../contract/collection.ts";
import type { Store } from "../../contract/store.ts";
import type { InboundTask, TaskOwner } from "./inbound-task.ts";
import { TaskState } from "./inbound-task.ts";

/** What tasks are listed by, so that only those on the page are read. */
const TaskSummary = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  state: TaskState,
  statusAt: z.iso.datetime(),
});
export type TaskSummary = z.infer<typeof TaskSummary>;

/** By the day of the latest status: a page reads the days that it is about, and none before them. */
const index = collection("a2a-task-index", TaskSummary, { ttlMs: RETENTION_MS });

const DAY_MS = 24 * 3_600_000;

export const dayOf = (time: string): string => time.slice(0, 10);

const summaryKey = ({ tenant, agent, caller, id, statusAt }: InboundTask) =>
  keyOf(index, tenant, agent, caller, dayOf(statusAt), id);

/** Where it stands from now on. */
export const indexTask = async (store: Store, task: InboundTask): Promise<void> => {
  const { id, contextId, state, statusAt } = task;
  await store.put(summaryKey(task), { id, contextId, state, statusAt });
};

/** Where it stood before, if that was another day. */
export const unindexTask = async (store: Store, before: InboundTask, after: InboundTask): Promise<void> => {
  if (dayOf(before.statusAt) !== dayOf(after.statusAt)) await store.delete(summaryKey(before));
};

/** One day of a caller's tasks, in no order. */
export const summariesOn = ({ tenant, agent, caller }: TaskOwner, day: string) =>
  prefixOf(index, tenant, agent, caller, day);

/** The days that tasks are kept for, from this one back. */
export const daysBefore = (time: number): string[] =>
  Array.from({ length: RETENTION_MS / DAY_MS + 1 }, (_, n) => dayOf(isoTime(time - n * DAY_MS)));
