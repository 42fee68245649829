import type { SubtaskParts } from "../subtasks/index.ts";
import { foldBack } from "./fold-back.ts";
import type { PeerCall } from "./peer-call.ts";
import { tellSubtask } from "./tell-subtask.ts";
import { addedWords } from "./words-of-peer.ts";

/**
 * A peer of this deployment has answered, and then something came too late for a subtask of its own: what it says to
 * that goes the way of its answer, to whoever is left of those that asked (L1).
 */
export const addToAnswer = async (
  parts: SubtaskParts,
  call: PeerCall,
  messageId: string,
  text: string,
): Promise<void> => {
  if (call.mode === "notify" || text === "") return;
  const words = addedWords(call, messageId, text);
  if (call.standing.subtaskId === undefined) await foldBack(parts, call, words, undefined);
  else await tellSubtask(parts, call, words);
};
