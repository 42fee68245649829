import { cutToBytes } from "../lib/index.ts";
import {
  type ChatMessage,
  describeTools,
  ModelFailed,
  type StepRequest,
  type StepResponse,
  type ToolResult,
} from "../model/index.ts";
import type { SessionWindow } from "../sessions/index.ts";
import { answerCalls } from "./answer-calls.ts";
import { askModel } from "./ask-model.ts";
import type { Trouble } from "./failure-text.ts";
import { failureText } from "./failure-text.ts";
import { choosesSilence } from "./nothing-to-say.ts";
import { signalProgress } from "./signal-progress.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { CoreParts, Turn, TurnEnd } from "./turn.ts";
import { TurnCancelled } from "./turn-cancelled.ts";
import { TurnStopped } from "./turn-stopped.ts";
import { TurnTimedOut } from "./turn-timed-out.ts";

/** A reply with a larger text would fit neither the bus nor the history. */
const MAX_FINAL_BYTES = 300_000;

/** Model and tools, a journaled step at a time. Rejects with TurnYielded if this process must leave the turn alone. */
export const runTurn = async (parts: CoreParts, turn: Turn): Promise<TurnEnd> => {
  const messages: ChatMessage[] = [];
  try {
    return await runSteps(parts, turn, messages);
  } catch (error) {
    if (error instanceof TurnCancelled) return { outcome: "cancelled", finalText: "", messages };
    if (error instanceof TurnStopped) return stopped(error.said, messages);
    const trouble = troubleOf(error);
    if (trouble === undefined) throw error;
    return failed(trouble, messages);
  }
};

const runSteps = async (parts: CoreParts, turn: Turn, messages: ChatMessage[]): Promise<TurnEnd> => {
  const shown = { window: turn.window, mayShrink: true };
  for (let step = 0; ; step++) {
    const isLast = step >= turn.agent.maxToolRounds;
    const response = await nextResponse(parts, turn, { step, isLast, messages, shown });
    const { text, toolCalls } = response;
    if (choosesSilence(turn.agent, response)) {
      messages.push({ role: "assistant", text: "", toolCalls }, { role: "tool", results: toolCalls.map(accepted) });
      return { outcome: "nothing", finalText: "", messages };
    }
    if (toolCalls.length === 0 || isLast) {
      if (text.trim() === "") return failed("no-answer", messages);
      return { outcome: "answered", finalText: cutToBytes(text, MAX_FINAL_BYTES), messages };
    }
    const results = await answerCalls(parts, turn, step, toolCalls);
    messages.push({ role: "assistant", text, toolCalls }, { role: "tool", results });
    if (results.some((result) => !result.failed && endsTurn(turn, result))) {
      return { outcome: "answered", finalText: cutToBytes(text, MAX_FINAL_BYTES), messages };
    }
  }
};

const failed = (trouble: Trouble, messages: readonly ChatMessage[]): TurnEnd => ({
  outcome: "failed",
  finalText: failureText[trouble],
  trouble,
  messages,
});

/** What was said so far stays, and is marked as unfinished. */
const stopped = (said: string, messages: readonly ChatMessage[]): TurnEnd => ({
  outcome: "cancelled",
  finalText: said.trim() === "" ? "_Stopped._" : `${cutToBytes(said.trimEnd(), MAX_FINAL_BYTES)} …\n\n_Stopped._`,
  messages,
});

const endsTurn = ({ agent }: Turn, { name }: ToolResult): boolean =>
  agent.tools.some((tool) => tool.name === name && tool.endsTurn === true);

interface Step {
  readonly step: number;
  readonly isLast: boolean;
  readonly messages: ChatMessage[];
  /** What of the history the model is shown; a turn may shrink it once. */
  readonly shown: { window: SessionWindow; mayShrink: boolean };
}

/** From the journal, or from the model. A response that calls tools is journaled before they run. */
const nextResponse = async (parts: CoreParts, turn: Turn, step: Step): Promise<StepResponse> => {
  const journaled = await turn.journal.response(step.step);
  if (journaled !== undefined) return journaled;
  step.messages.push(...((await turn.interject?.()) ?? []));
  const response = await askWithRoom(parts, turn, step);
  if (response.toolCalls.length > 0 && !step.isLast && !choosesSilence(turn.agent, response)) {
    await turn.journal.addResponse(step.step, response);
    await parts.checkpoint("model.journaled");
    signalProgress(parts.bus, { tenant: turn.agent.tenant, agent: turn.agent.name, traceId: turn.record.traceId });
  }
  return response;
};

const askWithRoom = async (parts: CoreParts, turn: Turn, step: Step): Promise<StepResponse> => {
  try {
    return await askModel(parts, turn, requestFor(turn, step));
  } catch (error) {
    if (!(error instanceof ModelFailed) || error.reason !== "context-too-long" || !step.shown.mayShrink) throw error;
    step.shown.mayShrink = false;
    step.shown.window = await turn.shrink(step.shown.window);
    return askModel(parts, turn, requestFor(turn, step));
  }
};

const requestFor = ({ agent, text, aside }: Turn, { messages, isLast, shown }: Step): StepRequest => ({
  system: systemPrompt(agent, shown.window, aside),
  messages: [...shown.window.shown, { role: "user", text }, ...messages],
  tools: describeTools(agent.tools),
  toolChoice: isLast ? "none" : "auto",
});

const accepted = ({ id, name }: { id: string; name: string }): ToolResult => ({ callId: id, name, output: "ok" });

const troubleOf = (error: unknown): Trouble | undefined => {
  if (error instanceof ModelFailed) return error.reason;
  return error instanceof TurnTimedOut ? "turn-timeout" : undefined;
};
