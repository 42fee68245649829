import { AppError } from "../contract/app-error.ts";
import type { Subtask } from "../contract/subtask.ts";
import { hasEnded } from "../contract/subtask.ts";
import type { SubtaskAddress } from "../contract/subtask-message.ts";
import { callerAt, type Writer } from "../delivery/index.ts";
import { endSubtask } from "./change-subtask.ts";
import { readOwner } from "./owner-record.ts";
import { reportEnd } from "./report-end.ts";
import type { SubtaskParts } from "./subtask-parts.ts";
import { readSubtask } from "./subtask-record.ts";

/** Who asks for something to be done to a subtask. */
export interface Actor {
  /** Absent for somebody who acts by a command. */
  readonly ownerId?: string;
  /** As owner of what is done for this person only: others write in the same session. */
  readonly personId?: string;
  /** The person on whose behalf; absent for a subagent, which acts only on what it owns. */
  readonly writer?: Writer;
}

/** The subtask, if it is the actor's: its owner, or any session of the person it is done for, as that person is now (S6). */
export const ownSubtask = async (
  { store }: Pick<SubtaskParts, "store">,
  address: SubtaskAddress,
  actor: Actor,
): Promise<Subtask> => {
  const subtask = await readSubtask(store, address);
  if (subtask === undefined) throw new AppError("not-found", `There is no subtask "${address.id}".`);
  const { owner, asker } = subtask;
  const { personId = asker.personId } = actor;
  if (owner.ownerId === actor.ownerId && asker.personId === personId) return subtask;
  const caller = actor.writer && (await callerAt(store, actor.writer));
  if (!caller?.owns(subtask.audience)) {
    throw new AppError("forbidden", `${subtask.id} belongs to somebody else: only who asked for it can do that.`);
  }
  return subtask;
};

/** Ends it at once, with all that it has delegated; whoever works on it stops when they see it. */
export const cancelSubtask = async (
  parts: SubtaskParts,
  address: SubtaskAddress,
  why: string,
): Promise<Subtask | undefined> => {
  const result = { status: "failed" as const, output: "", error: `Cancelled: ${why}.` };
  const ended = await endSubtask(parts, address, { status: "cancelled", result });
  if (ended === undefined) return undefined;
  await reportEnd(parts, ended);
  await cancelChildren(parts, ended);
  return ended;
};

/** Nobody waits for the children of one that has ended. */
export const cancelChildren = async (parts: SubtaskParts, parent: Subtask): Promise<void> => {
  const { tenant, agent, id } = parent;
  if (!hasEnded(parent)) return;
  const { batches } = await readOwner(parts.store, { tenant, agent, ownerId: id });
  const open = Object.values(batches).flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const child of open) await cancelSubtask(parts, { tenant, agent, id: child.id }, `${id} has ended`);
};
