export { subtaskSpan, turnSpan } from "./agent-spans.ts";
export { runTool } from "./answer-calls.ts";
export { BackgroundWork } from "./background-work.ts";
export { aboutEarlierCalls, earlierCallsNote, earlierCallsOf } from "./earlier-calls.ts";
export { NOTHING_TO_SAY, withoutSilence } from "./nothing-to-say-tool.ts";
export { permittedAgent, withOfferedTools } from "./permitted-agent.ts";
export { runTurn } from "./run-turn.ts";
export { RunningTurns } from "./running-turns.ts";
export { addsForeignText, urlsIn, writtenUrls } from "./text-sources.ts";
export type { Agent, CoreDeps, TurnEnd } from "./turn.ts";
export {
  TurnCancelled,
  type TurnFailure,
  TurnStopped,
  TurnTimedOut,
  TurnYielded,
  textsOf,
} from "./turn-failures.ts";
