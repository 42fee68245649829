import type { Batch } from "./batch.ts";
import { countedMembers } from "./batch.ts";
import { callbackIdOf, synthesisIdOf } from "./continuation-ids.ts";

/**
 * Whether others still work on what a turn has delegated: a subtask or another agent, or their results have a turn that
 * has not ended yet. `ended`: the messages whose turns have.
 */
export const isOutstanding = (batch: Batch, ended: readonly string[]): boolean => {
  const isOut = batch.members.some(
    ({ reports, awaitedBy, ended: hasEnded }) =>
      // Who was not done by the ceiling is left behind: no turn waits for its end (B3).
      !hasEnded && !awaitedBy && (reports === "alone" || (reports === "batch" && batch.firedAt === undefined)),
  );
  // The turn of an answer may end before its call is counted as ended.
  const isAsked = batch.calls?.some((call) => (!call.ended || call.isLater) && !ended.includes(callbackIdOf(call.id)));
  return isOut || isAsked || (countedMembers(batch).length > 0 && !ended.includes(synthesisIdOf(batch.turnId)));
};
