import type { SubtaskAddress } from "../../contract/addresses.ts";
import { AppError, RevisionConflict } from "../../contract/app-error.ts";
import type { Stored } from "../../contract/store.ts";
import { subjectsOf } from "../../contract/subjects.ts";
import type { Subtask, SubtaskStatus } from "../../contract/subtask.ts";
import { hasEnded } from "../../contract/subtask.ts";
import { type CoreDeps, subtaskSpan } from "../../turns/index.ts";
import { subtaskKey, subtasksRead, writeSubtask } from "./subtask-record.ts";

/** Allowed status transitions (S4). */
const next: Readonly<Record<SubtaskStatus, readonly SubtaskStatus[]>> = {
  pending: ["running"],
  running: ["completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/**
 * Changes a subtask by compare-and-set and signals the change. `change` may run several times and returns the same
 * object if there is nothing to write. Resolves to undefined if the subtask does not exist or has expired.
 */
export const changeSubtask = async (
  deps: CoreDeps,
  address: SubtaskAddress,
  change: (subtask: Subtask) => Subtask,
): Promise<Subtask | undefined> => (await changeStored(deps, address, change))?.value;

export const changeStored = async (
  deps: CoreDeps,
  address: SubtaskAddress,
  change: (subtask: Subtask) => Subtask,
): Promise<Stored<Subtask> | undefined> => {
  for (let stored = await readStored(deps, address); stored; stored = await readStored(deps, address)) {
    const before = stored.value;
    const after = change(before);
    if (after === before) return stored;
    if (hasEnded(before) || (before.status !== after.status && !next[before.status].includes(after.status))) {
      throw new AppError("conflict", `${before.id} cannot go from ${before.status} to ${after.status}`);
    }
    try {
      const written = await writeSubtask(deps.store, after, stored.revision);
      signalChange(deps, after);
      reportChange(deps, before, after);
      return written;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
  return undefined;
};

export const readStored = ({ store }: CoreDeps, address: SubtaskAddress) =>
  subtasksRead.get(store, subtaskKey(address));

/** Wakes the waiters of the subtask, who then read its record. */
export const signalChange = ({ bus }: CoreDeps, subtask: Subtask): void => {
  const { tenant, agent, id, traceId, endedBy, stopRequestedAt } = subtask;
  const isOver = hasEnded(subtask) ? endedBy === undefined : stopRequestedAt !== undefined;
  bus.signal(subjectsOf(tenant).subtaskNews(agent), { id, traceId, isOver });
};

/** Signals the new state, and logs and counts a transition. */
export const reportChange = (
  { bus, clock, logger, meter, tracer }: CoreDeps,
  before: Subtask,
  after: Subtask,
): void => {
  const subjects = subjectsOf(after.tenant);
  bus.signal(subjects.subtaskChanged(after.agent), after);
  if (before.status === after.status) return;
  const { id, planId, depth, traceId, owner } = after;
  const fields = { subtask: id, planId, depth, traceId, owner: owner.ownerId };
  logger.info({ ...fields, from: before.status, to: after.status }, "subtask changed");
  if (!hasEnded(after)) return;
  bus.signal(subjects.subtaskEnded(after.agent), after);
  meter.count("subtasks_total", { agent: after.agent, outcome: after.status });
  tracer?.record(subtaskSpan(after, clock.now()));
};

export const begun = (subtask: Subtask, startedAt: string | undefined): Subtask => ({
  ...subtask,
  status: "running",
  startedAt: subtask.startedAt ?? startedAt,
});
