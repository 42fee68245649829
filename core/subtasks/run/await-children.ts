import type { AgentRef } from "../../contract/messages/agent-ref.ts";
import { hasEnded, type Subtask } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { listNames } from "../../lib/index.ts";
import { takeReturned } from "../batch/batch-transitions.ts";
import { showResults } from "../continuation/show-results.ts";
import type { SubtaskDeps } from "../deps.ts";
import type { Member } from "../owner/batch.ts";
import { readOwner } from "../owner/owner-record.ts";
import { changeSubtask } from "../record/change-subtask.ts";
import { readSubtasks, waitForSubtasks } from "../record/subtask-record.ts";

interface Options {
  /** The turn of the parent that gets the results. */
  readonly turnId: string;
  readonly ceilingMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** True if the parent got a note that it should read before its children have ended. */
  isInterrupted(parent: Subtask): boolean;
}

/**
 * Waits for the children of a subtask and returns the text of its next turn: their results once all have ended (S8) or
 * timed out, or a notice if a note arrived first. Resolves to undefined if no results are outstanding.
 */
export const awaitChildren = async (
  deps: SubtaskDeps,
  parent: Subtask,
  options: Options,
): Promise<string | undefined> => {
  const { tenant, agent, id: ownerId } = parent;
  const { turnId } = options;
  const place = { tenant, agent };
  const { batches } = await readOwner(deps.store, { ...place, ownerId });
  const outstanding = Object.values(batches).flatMap((batch) =>
    batch.members
      .filter(({ reports, awaitedBy = turnId }) => reports !== "blocking" && awaitedBy === turnId)
      .map((member) => ({ ...member, batch: batch.turnId })),
  );
  if (outstanding.length === 0) return undefined;
  // A turn that is repeated after a crash gets the same results.
  const returned = outstanding.filter(({ awaitedBy }) => awaitedBy === turnId);
  if (returned.length > 0) return resultsOf(deps, place, returned);
  const open = await stillOpen(deps, parent, outstanding, options);
  if (open.length > 0) return interruption(open);
  for (const batch of new Set(outstanding.map((member) => member.batch))) {
    const ids = outstanding.filter((member) => member.batch === batch).map(({ id }) => id);
    await takeReturned(deps, { ...place, ownerId, turnId: batch }, ids, turnId);
  }
  return resultsOf(deps, place, outstanding);
};

/** Waits for the children and stops those that time out. Resolves to the open ones if a note interrupts the wait. */
const stillOpen = async (
  deps: SubtaskDeps,
  parent: Subtask,
  members: readonly Member[],
  { ceilingMs, graceMs, signal, isInterrupted }: Options,
): Promise<Subtask[]> => {
  const openIn = (all: readonly Subtask[]) => all.filter((one) => one.id !== parent.id && !hasEnded(one));
  const isInterruptedIn = (all: readonly Subtask[]) => all.some((one) => one.id === parent.id && isInterrupted(one));
  const ids = [...members.map(({ id }) => id), parent.id];
  const wait = { place: parent, ids, signal };
  const isDone = (all: readonly Subtask[]) => openIn(all).length === 0;
  const isOver = (all: readonly Subtask[]) => isDone(all) || isInterruptedIn(all);
  const inTime = await waitForSubtasks(deps, { ...wait, timeoutMs: ceilingMs, isDone: isOver });
  if (isOver(inTime)) return openIn(inTime);
  const stopRequestedAt = isoTime(deps.clock.now());
  for (const child of openIn(inTime)) {
    await changeSubtask(deps, child, (is) => (hasEnded(is) ? is : { ...is, stopRequestedAt }));
  }
  await waitForSubtasks(deps, { ...wait, timeoutMs: graceMs, isDone });
  return [];
};

const resultsOf = async (deps: SubtaskDeps, place: AgentRef, members: readonly Member[]): Promise<string> => {
  const children = await readSubtasks(
    deps.store,
    place,
    members.map(({ id }) => id),
  );
  const reported = members.map(({ id, name }) => {
    const subtask = children.find((child) => child.id === id);
    return { id, name, timedOut: subtask !== undefined && !hasEnded(subtask), subtask };
  });
  return `[results of delegated work] Finish your work with these.\n\n${showResults(reported)}`;
};

const interruption = (open: readonly Subtask[]): string =>
  `[while you wait] Something came for you; it follows. ${listNames(open.map(({ name }) => name))} still work for ` +
  "you. Answer whoever asks with message_subtask, then end your turn with a short text: you get the results later.";
