import type { AgentModel, StepOptions } from "../../core/model/agent-model.ts";
import type { ModelFailed } from "../../core/model/model-failed.ts";
import type { StepRequest, StepResponse, ToolCall } from "../../core/model/step.ts";
import { Recorder } from "./recorder.ts";

export type Answer = string | StepResponse | ModelFailed | ((options: StepOptions) => Promise<StepResponse>);
export type Script = readonly Answer[] | ((request: StepRequest, number: number) => Answer);

/** A model that follows a script and records its requests. */
export class ScriptedModel implements AgentModel {
  readonly label = "scripted";
  readonly requests = new Recorder<StepRequest>();
  #script: Script;
  #given = 0;

  constructor(script: Script = []) {
    this.#script = script;
  }

  follow(script: Script): void {
    this.#script = script;
    this.#given = 0;
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    const number = ++this.#given;
    const answer = typeof this.#script === "function" ? this.#script(request, number) : this.#script[number - 1];
    // A copy, because the turn appends to its messages afterwards.
    this.requests.add(structuredClone(request));
    if (answer === undefined) throw new Error(`the script has no answer for request ${number}`);
    if (answer instanceof Error) throw answer;
    if (typeof answer === "function") return answer(options);
    const response = typeof answer === "string" ? says(answer) : answer;
    if (response.text !== "") options.onText(response.text);
    return response;
  }
}

export const says = (text: string): StepResponse => ({
  text,
  toolCalls: [],
  finish: "stop",
  usage: { inputTokens: 10, outputTokens: 5 },
});

type ScriptedCall = Pick<ToolCall, "name"> & Partial<ToolCall>;

export const calls = (...toolCalls: ScriptedCall[]): StepResponse => ({
  ...says(""),
  toolCalls: toolCalls.map((call, index) => ({ id: `call-${index}`, input: {}, ...call })),
  finish: "tool-calls",
});
