import type { TurnEntry } from "../../../core/sessions/history-entry.ts";
import type { TurnRecord } from "../../../core/turns/turn-record.ts";

/** A turn without what was said in it. */
export const shownTurn = (record: TurnRecord, entry?: TurnEntry) => {
  const { turnId, messageId = "", sessionId, openedAt, origin, cause, command } = record;
  return {
    turnId,
    sessionId,
    messageId,
    trigger: cause?.trigger ?? (command === undefined ? "message" : "command"),
    ...(command !== undefined && { command }),
    openedAt,
    ...(entry && { endedAt: entry.at, outcome: entry.outcome }),
    ...(entry?.suppressed && { suppressed: true }),
    ...(entry?.degraded && { degraded: true }),
    summary: origin.promptSummary,
  };
};
