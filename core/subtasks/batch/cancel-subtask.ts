import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { Subtask } from "../../contract/messages/subtask.ts";
import { hasEnded } from "../../contract/messages/subtask.ts";
import type { SubtaskDeps } from "../deps.ts";
import { readOwner } from "../owner/owner-record.ts";
import { endSubtask } from "../record/end-subtask.ts";
import { reportEnd } from "./report-end.ts";

/** Ends a subtask and all that it has delegated. Running subagents stop when they notice. */
export const cancelSubtask = async (
  deps: SubtaskDeps,
  address: SubtaskAddress,
  why: string,
): Promise<Subtask | undefined> => {
  const result = { status: "failed" as const, output: "", error: `Cancelled: ${why}.` };
  const ended = await endSubtask(deps, address, { status: "cancelled", result });
  if (ended === undefined) return undefined;
  await reportEnd(deps, ended);
  await cancelChildren(deps, ended);
  return ended;
};

/** Cancels the children of an ended subtask, because their results have no reader. */
export const cancelChildren = async (deps: SubtaskDeps, parent: Subtask): Promise<void> => {
  const { tenant, agent, id } = parent;
  if (!hasEnded(parent)) return;
  const { batches } = await readOwner(deps.store, { tenant, agent, ownerId: id });
  const open = Object.values(batches).flatMap(({ members }) => members.filter(({ ended }) => !ended));
  for (const child of open) await cancelSubtask(deps, { tenant, agent, id: child.id }, `${id} has ended`);
};
