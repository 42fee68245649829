import { AppError } from "../../contract/app-error.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import { subjectsOf } from "../../contract/messages/subjects.ts";
import { hasEnded, type Subtask, type SubtaskNote, type SubtaskStatus } from "../../contract/messages/subtask.ts";
import type { Stored } from "../../contract/ports/store.ts";
import { update } from "../../contract/ports/update.ts";
import { cutToBytes } from "../../lib/index.ts";
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
  bus.signal(subjectsOf(tenant).subtaskUpdate(agent), { id, traceId, isOver });
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

/** Limit for all notes of a subtask together; its record also holds task and result. */
const MAX_NOTES_BYTES = 200_000;
/** Minimum for a note when the limit is reached. */
const MIN_NOTE_BYTES = 500;

/** Adds a note to the inbox, cut to the room left. Returns an ended subtask, or one that has the note, unchanged. */
export const withNote = (subtask: Subtask, note: SubtaskNote): Subtask => {
  if (hasEnded(subtask) || subtask.inbox.some(({ id }) => id === note.id)) return subtask;
  const taken = subtask.inbox.reduce((sum, { content }) => sum + Buffer.byteLength(JSON.stringify(content)), 0);
  const content = cutToBytes(note.content, Math.max(MIN_NOTE_BYTES, MAX_NOTES_BYTES - taken));
  return { ...subtask, inbox: [...subtask.inbox, { ...note, content }] };
};

/** A note for the subagent's next step, or a status line for the activity entry. */
type SubtaskUpdate = { readonly note: SubtaskNote } | { readonly status: string };

/** Resolves to the subtask; one that had ended comes back without the update. Undefined: it does not exist any more. */
export const deliverToSubtask = (
  deps: CoreDeps,
  address: SubtaskAddress,
  update: SubtaskUpdate,
): Promise<Subtask | undefined> =>
  changeSubtask(deps, address, (subtask) =>
    "status" in update ? withStatus(subtask, update.status) : withNote(subtask, update.note),
  );

const withStatus = (subtask: Subtask, note: string): Subtask =>
  hasEnded(subtask) || subtask.note === note ? subtask : { ...subtask, note, notes: subtask.notes + 1 };
