import type { TurnEntry } from "../sessions/index.ts";
import type { TurnRecord } from "../turns/index.ts";

/**
 * Who waits is always answered (B7); nobody else hears of silence, of a word whose answer is still to come
 * (B6), or of what is for another agent (A5).
 */
export const isForPeople = (
  { correlationId, standing }: Pick<TurnRecord, "correlationId" | "standing">,
  { outcome, suppressed }: Pick<TurnEntry, "outcome" | "suppressed">,
): boolean =>
  correlationId !== undefined || (standing.owner.worksFor === undefined && outcome !== "nothing" && !suppressed);
