export { compactSession, exceeds, type WindowBounds } from "./compact-session.ts";
export { currentSession, firstSessionId } from "./current-session.ts";
export { fitEntry } from "./fit-entry.ts";
export type { HistoryEntry, SaidEntry, TurnEntry } from "./history-entry.ts";
export { SessionFinder } from "./session-finder.ts";
export { SessionHistory } from "./session-history.ts";
export type { SessionPlace } from "./session-record.ts";
export { nextIndex, type SessionWindow, windowOf } from "./session-window.ts";
export { startSession } from "./start-session.ts";
