export { compactSession, exceeds, type WindowBounds } from "./compact-session.ts";
export type { HistoryEntry, SaidEntry, TurnEntry } from "./history-entry.ts";
export { fitEntry } from "./history-entry.ts";
export { SessionFinder } from "./session-finder.ts";
export { SessionHistory } from "./session-history.ts";
export type { SessionAddress } from "./session-record.ts";
export { currentSession, firstSessionId, startSession } from "./session-record.ts";
export { nextIndex, type SessionWindow, windowOf } from "./session-window.ts";
