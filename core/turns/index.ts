export type { Agent } from "./agent.ts";
export { subtaskSpan, turnSpan } from "./agent-spans.ts";
export { BackgroundWork } from "./background-work.ts";
export { ChangeEvents } from "./change-events.ts";
export { AMENDMENT_SLACK_MS, ceilingMs, DelegationConfig, deepest, defaultDelegation } from "./delegation-limits.ts";
export { failureText } from "./failure-text.ts";
export { Inherited, inheritedFrom } from "./inherited.ts";
export { Journal } from "./journal.ts";
export { nothingToSay, withoutSilence } from "./nothing-to-say.ts";
export { defaultPeering, PeeringConfig } from "./peering-limits.ts";
export { runTurn } from "./run-turn.ts";
export { RunningTurns } from "./running-turns.ts";
export { sessionTtl } from "./session-ttl.ts";
export { signalProgress } from "./signal-progress.ts";
export { summariseByModel } from "./summarise-by-model.ts";
export { mayHaveSummary, readSummary, settledOrigin, settleSummary } from "./summary-record.ts";
export type { CoreParts, TurnEnd } from "./turn.ts";
export { TurnCancelled } from "./turn-cancelled.ts";
export { finalIdOf, type TurnRecord, traceIdOf, turnIdOf, turnKey, turnKeyById, turnsOfAgent } from "./turn-record.ts";
export type {
  FinishedTurn,
  RecordedTurn,
  RequestState,
  SyntheticMessage,
  TurnFeatures,
  TurnHook,
  TurnPrompt,
  TurnRequester,
  TurnResult,
  TurnSource,
} from "./turn-source.ts";
export { TurnStopped } from "./turn-stopped.ts";
export { TurnTimedOut } from "./turn-timed-out.ts";
export { TurnYielded } from "./turn-yielded.ts";
export { waitForChange } from "./wait-for-change.ts";
