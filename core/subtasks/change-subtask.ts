import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask, SubtaskResult, SubtaskStatus } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import type { CoreParts } from "../turns/turn.ts";
import { subtaskKey } from "./subtask-record.ts";

/** Where each state may lead; nothing else happens (S4). */
const next: Readonly<Record<SubtaskStatus, readonly SubtaskStatus[]>> = {
  pending: ["running"],
  running: ["completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/**
 * Changes a subtask by compare-and-set and tells of it. The change may be asked several times; the same subtask back:
 * nothing to write. Undefined: there is no such subtask, or it has expired.
 */
export const changeSubtask = async (
  parts: CoreParts,
  address: SubtaskAddress,
  change: (subtask: Subtask) => Subtask,
): Promise<Subtask | undefined> => {
  for (;;) {
    const stored = await parts.store.get(subtaskKey(address));
    if (stored === undefined) return undefined;
    const before = stored.value;
    const after = change(before);
    if (after === before) return before;
    if (hasEnded(before) || (before.status !== after.status && !next[before.status].includes(after.status))) {
      throw new AppError("conflict", `${before.id} cannot go from ${before.status} to ${after.status}`);
    }
    try {
      await parts.store.put(subtaskKey(address), after, { ifRevision: stored.revision });
      tell(parts, before, after);
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

const tell = ({ bus, logger, meter }: CoreParts, before: Subtask, after: Subtask): void => {
  const subjects = subjectsOf(after.tenant);
  bus.signal(subjects.subtaskChanged(after.agent), after);
  if (before.status === after.status) return;
  const { id, planId, depth, traceId, owner } = after;
  const fields = { subtask: id, planId, depth, traceId, owner: owner.ownerId };
  logger.info({ ...fields, from: before.status, to: after.status }, "subtask changed");
  if (!hasEnded(after)) return;
  bus.signal(subjects.subtaskEnded(after.agent), after);
  meter.count("subtasks_total", { agent: after.agent, outcome: after.status });
};

/** Takes it up: for the first time, or again after the death of a process. One that has ended stays as it is. */
export const claimSubtask = (parts: CoreParts, address: SubtaskAddress): Promise<Subtask | undefined> =>
  changeSubtask(parts, address, (subtask) =>
    hasEnded(subtask)
      ? subtask
      : {
          ...subtask,
          status: "running",
          startedAt: subtask.startedAt ?? isoTime(parts.clock.now()),
          runs: subtask.runs + 1,
        },
  );

export interface Ending {
  readonly status: "completed" | "failed" | "cancelled";
  readonly result: SubtaskResult;
  /** What ends it, if it may be repeated. */
  readonly endedBy?: string;
}

/** Ends it, unless it has ended: what comes back tells how it ended. */
export const endSubtask = async (
  parts: CoreParts,
  address: SubtaskAddress,
  { status, result, endedBy }: Ending,
): Promise<Subtask | undefined> => {
  const completedAt = isoTime(parts.clock.now());
  // One that nobody has taken up passes through "running" all the same: there is no other way to an end.
  await changeSubtask(parts, address, (subtask) =>
    subtask.status === "pending" ? { ...subtask, status: "running", startedAt: completedAt } : subtask,
  );
  return changeSubtask(parts, address, (subtask) =>
    hasEnded(subtask)
      ? subtask
      : { ...subtask, status, result, completedAt, ...(endedBy !== undefined && { endedBy }) },
  );
};
