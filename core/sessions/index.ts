export { compactSession } from "./compact-session.ts";
export type { SessionAddress } from "./current-session.ts";
export {
  currentSession,
  earlierSessions,
  firstSessionId,
  forgetSessions,
  SessionFinder,
  startSession,
} from "./current-session.ts";
export { deleteSession } from "./delete-session.ts";
export { SessionHistory } from "./session-history.ts";
export {
  exceeds,
  fitEntry,
  type HistoryEntry,
  hasDelegated,
  hasForeignText,
  nextIndex,
  type ReplyEntry,
  Revision,
  type SessionWindow,
  type TurnEntry,
  type WindowBounds,
  windowOf,
  withoutRevised,
} from "./session-window.ts";
