import type { FileRef } from "../../contract/file-ref.ts";
import type { AgentRef, SubtaskAddress } from "../../contract/messages/addresses.ts";
import { hasEnded, type Subtask, type SubtaskNote } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { listNames, waitForChange } from "../../lib/index.ts";
import { takeReturned } from "../batch/batch-transitions.ts";
import { filesOfResults, showResults } from "../batch/continuation-prompt.ts";
import type { SubtaskDeps } from "../deps.ts";
import { type Member, openCalls } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { changeSubtask } from "../record/change-subtask.ts";
import { readSubtask, readSubtasks, waitForSubtasks } from "../record/subtask-record.ts";

interface ChildrenWait {
  /** The turn of the parent that gets the results. */
  readonly turnId: string;
  readonly ceilingMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** True if the parent got a note that it should read before its children have ended. */
  isInterrupted(parent: Subtask): boolean;
}

/** The text of the subtask's next turn, and the files of the results in it. */
export interface ChildrenReport {
  readonly text: string;
  readonly files: readonly FileRef[];
}

/**
 * Waits for the children of a subtask and returns the text of its next turn: their results once all have ended (S8) or
 * timed out, or a notice if a note arrived first. Resolves to undefined if no results are outstanding.
 */
export const awaitChildren = async (
  deps: SubtaskDeps,
  parent: Subtask,
  options: ChildrenWait,
): Promise<ChildrenReport | undefined> => {
  const { tenant, agent, id: ownerId } = parent;
  const { turnId } = options;
  const agentRef = { tenant, agent };
  const { batches } = await readOwner(deps.store, { ...agentRef, ownerId });
  const outstanding = Object.values(batches).flatMap((batch) =>
    batch.members
      .filter(({ reports, awaitedBy = turnId }) => reports !== "blocking" && awaitedBy === turnId)
      .map((member) => ({ ...member, batch: batch.turnId })),
  );
  if (outstanding.length === 0) return undefined;
  // A turn that is repeated after a crash gets the same results.
  const returned = outstanding.filter(({ awaitedBy }) => awaitedBy === turnId);
  if (returned.length > 0) return resultsOf(deps, agentRef, returned);
  const open = await stillOpen(deps, parent, outstanding, options);
  if (open.length > 0) return { text: interruption(open), files: [] };
  for (const batch of new Set(outstanding.map((member) => member.batch))) {
    const ids = outstanding.filter((member) => member.batch === batch).map(({ id }) => id);
    await takeReturned(deps, { ...agentRef, ownerId, turnId: batch }, ids, turnId);
  }
  return resultsOf(deps, agentRef, outstanding);
};

/** Waits for the children and stops those that time out. Resolves to the open ones if a note interrupts the wait. */
const stillOpen = async (
  deps: SubtaskDeps,
  parent: Subtask,
  members: readonly Member[],
  { ceilingMs, graceMs, signal, isInterrupted }: ChildrenWait,
): Promise<Subtask[]> => {
  const openIn = (all: readonly Subtask[]) => all.filter((one) => one.id !== parent.id && !hasEnded(one));
  const isInterruptedIn = (all: readonly Subtask[]) => all.some((one) => one.id === parent.id && isInterrupted(one));
  const ids = [...members.map(({ id }) => id), parent.id];
  const wait = { agentRef: parent, ids, signal };
  const isDone = (all: readonly Subtask[]) => openIn(all).length === 0;
  const isOver = (all: readonly Subtask[]) => isDone(all) || isInterruptedIn(all);
  const inTime = await waitForSubtasks(deps, { ...wait, timeoutMs: ceilingMs, isDone: isOver });
  if (isOver(inTime)) return openIn(inTime);
  const stopRequestedAt = isoTime(deps.clock.now());
  for (const child of openIn(inTime)) {
    await changeSubtask(deps, child, (current) => (hasEnded(current) ? current : { ...current, stopRequestedAt }));
  }
  await waitForSubtasks(deps, { ...wait, timeoutMs: graceMs, isDone });
  return [];
};

const resultsOf = async (
  deps: SubtaskDeps,
  agentRef: AgentRef,
  members: readonly Member[],
): Promise<ChildrenReport> => {
  const children = await readSubtasks(
    deps.store,
    agentRef,
    members.map(({ id }) => id),
  );
  const reported = members.map(({ id, name }) => {
    const subtask = children.find((child) => child.id === id);
    return { id, name, timedOut: subtask !== undefined && !hasEnded(subtask), subtask };
  });
  const text = `[results of delegated work] Finish your work with these results.\n\n${showResults(reported)}`;
  return { text, files: filesOfResults(reported) };
};

const interruption = (open: readonly Subtask[]): string =>
  `[while you wait] You have new messages; they follow. Still running: ${listNames(open.map(({ name }) => name))}. ` +
  "Answer questions with message_subtask, then end your turn with a short text: you get the results later.";

/** Ids of the open calls of a subtask to other agents. */
export const outstandingCalls = async (
  { store }: Pick<SubtaskDeps, "store">,
  subtask: SubtaskAddress,
): Promise<string[]> => {
  const { tenant, agent, id: ownerId } = subtask;
  const { batches } = await readOwner(store, { tenant, agent, ownerId });
  return Object.values(batches)
    .flatMap(openCalls)
    .map(({ id }) => id);
};

interface CallsWait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The unread notes; empty if notes must not interrupt the wait. */
  unreadIn(subtask: Subtask): readonly SubtaskNote[];
}

/** Waits until the open calls end (S10) or time out. A question of a peer or a note of the owner ends the wait. */
export const waitForCalls = async (
  deps: SubtaskDeps,
  subtask: SubtaskAddress,
  { timeoutMs, signal, unreadIn }: CallsWait,
): Promise<void> => {
  const { clock, store, events: subtaskEvents, callEvents } = deps;
  const ids = await outstandingCalls(deps, subtask);
  if (ids.length === 0) return;
  const events = {
    watch(calls: readonly string[], changed: (record: { readonly id: string }) => void) {
      const ends = [callEvents.watch(calls, changed), subtaskEvents.watch([subtask.id], changed)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
  const read = async () => {
    const open = await outstandingCalls(deps, subtask);
    const current = await readSubtask(store, subtask);
    return open.length === 0 || (current !== undefined && unreadIn(current).some((note) => isUrgent(note, open)));
  };
  await waitForChange({ clock, events, ids, timeoutMs, signal, read, isDone: (isOver) => isOver });
};

const isUrgent = ({ id, from }: SubtaskNote, open: readonly string[]): boolean =>
  from === undefined || open.some((call) => id.startsWith(`${call}/`));
