import { AppError, RevisionConflict } from "../contract/app-error.ts";
import { isoTime } from "../contract/clock.ts";
import type { Stored } from "../contract/store.ts";
import { subjectsOf } from "../contract/subjects.ts";
import type { Subtask, SubtaskResult, SubtaskStatus } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import { type CoreParts, subtaskSpan } from "../turns/index.ts";
import { fitSubtask } from "./fit-subtask.ts";
import { subtaskKey, subtasksRead, writeSubtask } from "./subtask-record.ts";

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

const changeStored = async (
  parts: CoreParts,
  address: SubtaskAddress,
  change: (subtask: Subtask) => Subtask,
): Promise<Stored<Subtask> | undefined> => {
  for (let stored = await read(parts, address); stored; stored = await read(parts, address)) {
    const before = stored.value;
    const after = change(before);
    if (after === before) return stored;
    if (hasEnded(before) || (before.status !== after.status && !next[before.status].includes(after.status))) {
      throw new AppError("conflict", `${before.id} cannot go from ${before.status} to ${after.status}`);
    }
    try {
      const written = await writeSubtask(parts.store, after, stored.revision);
      spread(parts, after);
      tell(parts, before, after);
      return written;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
  return undefined;
};

const read = ({ store }: CoreParts, address: SubtaskAddress) => subtasksRead.get(store, subtaskKey(address));

/** For those who look at its record then. */
const spread = ({ bus }: CoreParts, subtask: Subtask): void => {
  const { tenant, agent, id, traceId, endedBy, stopRequestedAt } = subtask;
  const isOver = hasEnded(subtask) ? endedBy === undefined : stopRequestedAt !== undefined;
  bus.signal(subjectsOf(tenant).subtaskNews(agent), { id, traceId, isOver });
};

const tell = ({ bus, clock, logger, meter, tracer }: CoreParts, before: Subtask, after: Subtask): void => {
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

/** Takes it up again after a run that did not end it, and counts that. One that has ended stays as it is. */
export const claimAgain = (parts: CoreParts, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> =>
  changeStored(parts, address, (subtask) =>
    hasEnded(subtask) ? subtask : { ...begun(subtask, isoTime(parts.clock.now())), runs: subtask.runs + 1 },
  );

/**
 * Takes it up for the first time. That is told, but not stored yet: most of what is done in a moment needs no record
 * of having been begun. Whoever has just written it need not look: what happened to it since is found when it is noted,
 * or when it ends.
 */
export const claimFirst = async (parts: CoreParts, address: SubtaskAddress): Promise<Stored<Subtask> | undefined> => {
  const stored = subtasksRead.peek(parts.store, subtaskKey(address)) ?? (await read(parts, address));
  if (stored?.value.status !== "pending") return stored;
  const value = begun(stored.value, isoTime(parts.clock.now()));
  tell(parts, stored.value, value);
  return { ...stored, value };
};

/** Stores that it was begun, if nothing has happened to it since. */
export const noteBegun = async (parts: CoreParts, { value, revision }: Stored<Subtask>): Promise<Stored<Subtask>> => {
  try {
    const written = await writeSubtask(parts.store, value, revision);
    spread(parts, value);
    return written;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    const note = (subtask: Subtask) => (subtask.status === "pending" ? begun(subtask, value.startedAt) : subtask);
    const noted = await changeStored(parts, value, note);
    // It may have been ended before anybody watched it.
    if (noted) spread(parts, noted.value);
    return noted ?? { value, revision };
  }
};

export const begun = (subtask: Subtask, startedAt: string | undefined): Subtask => ({
  ...subtask,
  status: "running",
  startedAt: subtask.startedAt ?? startedAt,
});

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
  { isBegun = false } = {},
): Promise<Subtask | undefined> => {
  const stored = await read(parts, address);
  if (stored?.value.status !== "pending") return stored && endKnown(parts, stored, ending, () => true);
  // One that nobody has taken up passes through "running" all the same: there is no other way to an end.
  const value = begun(stored.value, isoTime(parts.clock.now()));
  if (!isBegun) tell(parts, stored.value, value);
  return endKnown(parts, { ...stored, value }, ending, () => true);
};

/** The same for one that was taken up, as long as it may end as it is now. One that may not comes back unended. */
export const endKnown = async (
  parts: CoreParts,
  known: Stored<Subtask>,
  { status, result, endedBy }: Ending,
  mayEnd: (subtask: Subtask) => boolean,
): Promise<Subtask | undefined> => {
  const { startedAt } = known.value;
  const completedAt = isoTime(parts.clock.now());
  const address = known.value;
  let isRead = false;
  for (let stored: Stored<Subtask> | undefined = known; stored; stored = await read(parts, address), isRead = true) {
    const before = stored.value.status === "pending" ? begun(stored.value, startedAt) : stored.value;
    if (hasEnded(before) || !mayEnd(before)) {
      if (isRead) return before;
      // True only of what is stored now.
      continue;
    }
    const ended: Subtask = { ...before, status, result, completedAt, ...(endedBy !== undefined && { endedBy }) };
    const after = fitSubtask(ended);
    try {
      await writeSubtask(parts.store, after, stored.revision);
      spread(parts, after);
      tell(parts, before, after);
      return after;
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
  return undefined;
};
