export { compactSession } from "./compact-session.ts";
export type { SessionAddress } from "./current-session.ts";
export { currentSession, firstSessionId, SessionFinder, startSession } from "./current-session.ts";
export type { HistoryEntry, ReplyEntry, TurnEntry } from "./history-entry.ts";
export { fitEntry } from "./history-entry.ts";
export { SessionHistory } from "./session-history.ts";
export { exceeds, nextIndex, type SessionWindow, type WindowBounds, windowOf } from "./session-window.ts";
