import type { TurnEntry } from "../sessions/history-entry.ts";
import type { TurnRecord } from "../turns/turn-record.ts";

/** Who waits is always answered (B7); nobody else hears of silence, or of a word whose answer is still to come (B6). */
export const isForPeople = (
  { correlationId }: Pick<TurnRecord, "correlationId">,
  { outcome, suppressed }: Pick<TurnEntry, "outcome" | "suppressed">,
): boolean => correlationId !== undefined || (outcome !== "nothing" && !suppressed);
