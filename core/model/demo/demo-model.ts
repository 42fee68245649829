import type { Clock } from "../../contract/ports/clock.ts";
import type { AgentModel, StepOptions } from "../agent-model.ts";
import { ModelFailed } from "../model-failed.ts";
import type { StepRequest, StepResponse, ToolCall } from "../step.ts";
import { uniqueCallIds } from "../tool-calls.ts";
import type { DemoCall } from "./demo-rule.ts";
import { situationOf } from "./demo-rule.ts";
import { demoRules } from "./demo-rules.ts";

const INTRODUCTION =
  "_I am the demo model: I follow fixed rules and need no key and no network. Configure another model for real answers._";

interface DemoOptions {
  /** Pause between two words. */
  readonly pauseMs: number;
  /** Duration of each step of a subtask. */
  readonly workMs?: number;
}

/** A deterministic model with fixed rules, to try the product without a key. */
export class DemoModel implements AgentModel {
  readonly label = "demo";
  readonly #pauseMs: number;
  readonly #workMs: number;
  readonly #clock: Clock;

  constructor({ pauseMs, workMs = 0 }: DemoOptions, { clock }: { clock: Clock }) {
    this.#pauseMs = pauseMs;
    this.#workMs = workMs;
    this.#clock = clock;
  }

  async step(request: StepRequest, { signal, onText }: StepOptions): Promise<StepResponse> {
    const situation = situationOf(request);
    let text = "";
    let toolCalls: ToolCall[] = [];
    for (const rule of demoRules) {
      const answer = rule.respond(situation);
      if (answer === undefined) continue;
      if ("call" in answer) {
        toolCalls = toToolCalls(answer.call, request);
        if (answer.isWork && this.#workMs > 0 && !signal.aborted) await this.#pause(this.#workMs, signal);
      }
      if ("text" in answer) text = situation.isFirst ? `${INTRODUCTION}\n\n${answer.text}` : answer.text;
      break;
    }
    for (const word of text.match(/\s*\S+\s*/g) ?? []) {
      if (this.#pauseMs > 0 && !signal.aborted) await this.#pause(this.#pauseMs, signal);
      if (signal.aborted) break;
      onText(word);
    }
    if (signal.aborted) throw new ModelFailed("cancelled", "the step was cancelled");
    return {
      text,
      toolCalls,
      finish: toolCalls.length > 0 ? "tool-calls" : "stop",
      usage: { inputTokens: tokensOf(JSON.stringify(request.messages)), outputTokens: tokensOf(text) },
    };
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, done);
      signal.addEventListener("abort", done, { once: true });
      function done() {
        timer.cancel();
        signal.removeEventListener("abort", done);
        resolve();
      }
    });
  }
}

const toToolCalls = (calls: readonly DemoCall[], request: StepRequest): ToolCall[] => {
  const callId = uniqueCallIds(request.messages);
  return calls.map(({ name, input }) => ({ id: callId("demo-1"), name, input }));
};

/** An estimate: four characters per token. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);
