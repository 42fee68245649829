import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Stored } from "../contract/store.ts";
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
): Promise<Subtask | undefined> => (await changeStored(parts, address, change))?.value;

/** The same for one that was read before: if nobody has changed it since, it is not read again. */
const changeStored = async (
  parts: CoreParts,
  address: SubtaskAddress,
  change: (subtask: Subtask) => Subtask,
  known?: Stored<Subtask>,
): Promise<Stored<Subtask> | undefined> => {
  for (let stored = known ?? (await read(parts, address)); stored; stored = await read(parts, address)) {
    const before = stored.value;
    const after = change(before);
    // That there is nothing to do is true only of what is stored now.
    if (after === before && stored === known) continue;
    if (after === before) return stored;
    if (hasEnded(before) || (before.status !== after.status && !next[before.status].includes(after.status))) {
      throw new AppError("conflict", `${before.id} cannot go from ${before.status} to ${after.status}`);
    }
    try {
      const revision = await parts.store.put(subtaskKey(address), after, { ifRevision: stored.revision });
      tell(parts, before, after);
      return { value: after, revision };
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
  return undefined;
};

const read = ({ store }: CoreParts, address: SubtaskAddress) => store.get(subtaskKey(address));

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
export const claimSubtask = (parts: CoreParts, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> =>
  changeStored(parts, address, (subtask) =>
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
  ending: Ending,
): Promise<Subtask | undefined> => {
  // One that nobody has taken up passes through "running" all the same: there is no other way to an end.
  const startedAt = isoTime(parts.clock.now());
  const taken = await changeStored(parts, address, (subtask) =>
    subtask.status === "pending" ? { ...subtask, status: "running", startedAt } : subtask,
  );
  return taken && endKnown(parts, taken, ending, () => true);
};

/** The same for one that was read before, as long as it may end as it is now. One that may not comes back unended. */
export const endKnown = async (
  parts: CoreParts,
  known: Stored<Subtask>,
  { status, result, endedBy }: Ending,
  mayEnd: (subtask: Subtask) => boolean,
): Promise<Subtask | undefined> => {
  const completedAt = isoTime(parts.clock.now());
  const end = (subtask: Subtask): Subtask =>
    hasEnded(subtask) || !mayEnd(subtask)
      ? subtask
      : { ...subtask, status, result, completedAt, ...(endedBy !== undefined && { endedBy }) };
  return (await changeStored(parts, known.value, end, known))?.value;
};
