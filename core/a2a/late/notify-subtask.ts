import { hasEnded } from "../../contract/messages/subtask.ts";
import { isoTime } from "../../contract/ports/clock.ts";
import { deliverToSubtask, type SubtaskDeps } from "../../subtasks/index.ts";
import type { PeerCall } from "../record/peer-call.ts";
import type { PeerUpdate } from "../record/peer-update.ts";
import { foldBack } from "./fold-back.ts";

/**
 * Delivers an update to the subtask that asked if it is still running, which a compare-and-set of its record decides.
 * Otherwise the update goes to the session that the subtask worked for (L1).
 */
export const notifySubtask = async (deps: SubtaskDeps, call: PeerCall, update: PeerUpdate): Promise<void> => {
  const { tenant, agent, peer } = call;
  const { subtaskId } = call.standing;
  if (subtaskId === undefined) return;
  const { id, kind, text } = update;
  const at = isoTime(deps.clock.now());
  const content =
    kind === "status"
      ? { status: `${peer}: ${call.note ?? "working"}` }
      : { note: { id, type: "answer" as const, from: peer, content: text, at } };
  const changed = await deliverToSubtask(deps, { tenant, agent, id: subtaskId }, content);
  if (changed === undefined) {
    deps.logger.warn(
      { call: call.id, subtask: subtaskId, traceId: call.traceId },
      "subtask has expired, peer update dropped",
    );
    return;
  }
  if (kind === "status") deps.activity.touch(changed);
  const isDelivered = kind === "status" ? !hasEnded(changed) : changed.inbox.some((note) => note.id === id);
  if (!isDelivered) await foldBack(deps, call, update, changed);
};
