import { isoTime } from "../contract/clock.ts";
import { hasEnded, type Subtask } from "../contract/subtask.ts";
import { countedMembers } from "./batch.ts";
import { changeSubtask } from "./change-subtask.ts";
import { GRACE_MS } from "./config.ts";
import { readOwner } from "./owner-record.ts";
import type { Reported } from "./show-results.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { waitUntil } from "./wait-until.ts";

interface Options {
  /** The turn of the parent that delegated. */
  readonly turnId: string;
  readonly ceilingMs: number;
  readonly signal: AbortSignal;
}

/** What came of a subtask's own subtasks, once they have ended (S8) or their time is up. */
export const childrenResults = async (
  parts: SubtaskParts,
  parent: Subtask,
  { turnId, ceilingMs, signal }: Options,
): Promise<Reported[]> => {
  const { tenant, agent, id } = parent;
  const batch = (await readOwner(parts.store, { tenant, agent, ownerId: id })).batches[turnId];
  const members = batch === undefined ? [] : countedMembers(batch);
  const ids = members.map((member) => member.id);
  if (ids.length === 0) return [];
  const wait = { place: { tenant, agent }, ids, signal, isDone: (all: readonly Subtask[]) => all.every(hasEnded) };
  const inTime = await waitUntil(parts, { ...wait, timeoutMs: ceilingMs });
  const late = inTime.filter((child) => !hasEnded(child));
  const stopRequestedAt = isoTime(parts.clock.now());
  for (const child of late) {
    await changeSubtask(parts, child, (is) => (hasEnded(is) ? is : { ...is, stopRequestedAt }));
  }
  const children = late.length === 0 ? inTime : await waitUntil(parts, { ...wait, timeoutMs: GRACE_MS });
  return members.map(({ id: memberId, name }) => {
    const subtask = children.find((child) => child.id === memberId);
    return { id: memberId, name, timedOut: subtask !== undefined && !hasEnded(subtask), subtask };
  });
};
