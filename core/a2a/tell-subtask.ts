import { isoTime } from "../contract/clock.ts";
import { hasEnded } from "../contract/subtask.ts";
import { changeSubtask, type SubtaskParts, withNote } from "../subtasks/index.ts";
import { foldBack } from "./fold-back.ts";
import type { PeerCall } from "./peer-call.ts";
import type { PeerWords } from "./words-of-peer.ts";

/**
 * To the subtask that asked, if it is still at work: a compare-and-set of its record decides. Otherwise it goes to the
 * session that the subtask worked for (L1).
 */
export const tellSubtask = async (parts: SubtaskParts, call: PeerCall, words: PeerWords): Promise<void> => {
  const { tenant, agent, standing, peer } = call;
  const { subtaskId } = standing;
  if (subtaskId === undefined) return;
  const { id, kind, text: content } = words;
  const at = isoTime(parts.clock.now());
  const told = await changeSubtask(parts, { tenant, agent, id: subtaskId }, (subtask) => {
    if (hasEnded(subtask)) return subtask;
    if (kind === "status") {
      const note = `${peer}: ${call.note ?? "working"}`;
      return subtask.note === note ? subtask : { ...subtask, note, notes: subtask.notes + 1 };
    }
    return withNote(subtask, { id, type: "answer", from: peer, content, at });
  });
  if (told === undefined) {
    parts.logger.warn({ call: call.id, subtask: subtaskId, traceId: call.traceId }, "nobody is left to hear an answer");
    return;
  }
  if (kind === "status") parts.activity.touch(told);
  const isTold = kind === "status" ? !hasEnded(told) : told.inbox.some((note) => note.id === id);
  if (!isTold) await foldBack(parts, call, words, told);
};
