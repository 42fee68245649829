import { isoTime } from "../../contract/clock.ts";
import { hasEnded } from "../../contract/subtask.ts";
import { changeSubtask, type SubtaskParts, withNote } from "../../subtasks/index.ts";
import type { PeerCall } from "../record/peer-call.ts";
import type { PeerUpdate } from "../record/peer-update.ts";
import { foldBack } from "./fold-back.ts";

/**
 * Delivers an update to the subtask that asked if it is still running, which a compare-and-set of its record decides.
 * Otherwise the update goes to the session that the subtask worked for (L1).
 */
export const notifySubtask = async (deps: SubtaskParts, call: PeerCall, update: PeerUpdate): Promise<void> => {
  const { tenant, agent, standing, peer } = call;
  const { subtaskId } = standing;
  if (subtaskId === undefined) return;
  const { id, kind, text: content } = update;
  const at = isoTime(deps.clock.now());
  const changed = await changeSubtask(deps, { tenant, agent, id: subtaskId }, (subtask) => {
    if (hasEnded(subtask)) return subtask;
    if (kind === "status") {
      const note = `${peer}: ${call.note ?? "working"}`;
      return subtask.note === note ? subtask : { ...subtask, note, notes: subtask.notes + 1 };
    }
    return withNote(subtask, { id, type: "answer", from: peer, content, at });
  });
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
