import type { TurnRecord } from "../../../core/turns/index.ts";
import type { TurnEnd } from "./turn-end.ts";

/** A turn without its text. `end` is absent while it runs. */
export const shownTurn = (record: TurnRecord, end?: TurnEnd) => {
  const { turnId, messageId = "", sessionId, openedAt, origin, cause, command } = record;
  return {
    turnId,
    sessionId,
    messageId,
    trigger: cause?.trigger ?? (command === undefined ? "message" : "command"),
    ...(command !== undefined && { command }),
    openedAt,
    ...(end && { endedAt: end.at, outcome: end.outcome }),
    ...(end?.entry?.suppressed && { suppressed: true }),
    ...(end?.entry?.degraded && { degraded: true }),
    summary: origin.promptSummary,
  };
};
