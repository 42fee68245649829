import { messageOf } from "../contract/app-error.ts";
import type { WorksFor } from "../contract/owner-context.ts";
import { WorkingMemory } from "../memory/working-memory.ts";
import type { TurnEntry } from "../sessions/history-entry.ts";
import type { SubtaskParts } from "../subtasks/subtask-parts.ts";
import { focusKey } from "./focus.ts";
import { settleCall } from "./settle-call.ts";

type Ended = Pick<TurnEntry, "outcome" | "finalText" | "suppressed">;

/** A turn that worked for another agent has ended: its words are the answer, unless others still work on it. */
export const answerCaller = async (
  parts: SubtaskParts,
  { worksFor, sessionId }: { readonly worksFor: WorksFor; readonly sessionId: string },
  { outcome, finalText, suppressed }: Ended,
): Promise<void> => {
  if (suppressed || worksFor.kind !== "peer-call") return;
  await settleCall(parts, worksFor, outcome === "failed" ? { error: finalText } : { answer: finalText });
  try {
    await new WorkingMemory(parts.store, parts.clock, sessionId).delete(focusKey(worksFor));
  } catch (error) {
    // The answer is on its way; what is left behind expires.
    parts.logger.warn({ call: worksFor.id, error: messageOf(error) }, "a focus entry is left behind");
  }
};
