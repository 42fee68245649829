import { AppError } from "../../contract/app-error.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import type { Subtask, SubtaskStatus } from "../../contract/messages/subtask.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import type { Stored } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { type CoreDeps, subtaskSpan } from "../../turns/index.ts";
import { subtaskKey, subtasksRead } from "./subtask-record.ts";

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
  const changeAllowed = (known: Subtask | undefined) => {
    const changed = known && change(known);
    if (known !== undefined && changed !== undefined && changed !== known) checkTransition(known, changed);
    return changed;
  };
  const { store } = deps;
  const options = { cache: subtasksRead };
  const { outcome, before, after, revision } = await update(store, subtaskKey(address), changeAllowed, options);
  if (before === undefined || after === undefined) return undefined;
  if (outcome === "written") {
    signalChange(deps, after);
    reportChange(deps, before, after);
  }
  return { value: after, revision };
};

const checkTransition = (before: Subtask, after: Subtask): void => {
  if (hasEnded(before) || (before.status !== after.status && !next[before.status].includes(after.status))) {
    throw new AppError("conflict", `${before.id} cannot go from ${before.status} to ${after.status}`);
  }
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
