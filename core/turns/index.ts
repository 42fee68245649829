export type { Agent } from "./agent.ts";
export { subtaskSpan, turnSpan } from "./agent-spans.ts";
export { BackgroundWork } from "./background-work.ts";
export { failureText } from "./failure-text.ts";
export { NOTHING_TO_SAY, withoutSilence } from "./nothing-to-say-tool.ts";
export { runTurn } from "./run-turn.ts";
export { RunningTurns } from "./running-turns.ts";
export type { CoreDeps, TurnEnd } from "./turn.ts";
export { TurnCancelled, TurnStopped, TurnTimedOut, TurnYielded } from "./turn-errors.ts";
export type { TurnRecord } from "./turn-records.ts";
export {
  finalIdOf,
  Journal,
  sessionTtl,
  traceIdOf,
  turnIdOf,
  turnKey,
  turnKeyById,
  turnsOfAgent,
} from "./turn-records.ts";
