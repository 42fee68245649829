import type { FileRef } from "../../contract/file-ref.ts";
import type { SubtaskAddress } from "../../contract/messages/addresses.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { stableId } from "../../lib/index.ts";
import { SessionHistory } from "../../sessions/index.ts";
import { Journal, journaledFiles } from "../../turns/record/index.ts";
import { filesOfResults } from "../batch/continuation-prompt.ts";
import type { SubtaskDeps } from "../deps.ts";
import { readOwner } from "../owner/owner-record.ts";
import { readSubtasks } from "../record/subtask-record.ts";
import { filesOfPhases } from "./run-subagent.ts";

/**
 * The files that a subtask has made before one of its calls: in the earlier steps of the turn, in earlier turns, and by its
 * own subtasks. A subtask that ends with its first call costs no read.
 */
export const filesBeforeCall = async (
  { store }: Pick<SubtaskDeps, "store">,
  { tenant, agent, id }: SubtaskAddress,
  { turnId, sessionId, idempotencyKey }: Pick<ToolContext, "turnId" | "sessionId" | "idempotencyKey">,
): Promise<FileRef[]> => {
  const step = Number(idempotencyKey.slice(turnId.length + 1).split("/")[0]);
  const ofTurn = await journaledFiles(new Journal(store, turnId, false), step);
  if (turnId === stableId("t", tenant, agent, id, "0")) return ofTurn;
  const earlier = filesOfPhases(await new SessionHistory(store).window(sessionId));
  const { batches } = await readOwner(store, { tenant, agent, ownerId: id });
  const members = Object.values(batches).flatMap((batch) => batch.members);
  const returned = members.filter(({ awaitedBy }) => awaitedBy === turnId).map((member) => member.id);
  const children = await readSubtasks(store, { tenant, agent }, returned);
  return [...earlier, ...filesOfResults(children.map((subtask) => ({ timedOut: false, subtask }))), ...ofTurn];
};
