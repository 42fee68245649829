import { systemClock } from "../../../core/contract/ports/clock.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { AgentModel, ModelDeps } from "../../../core/model/agent-model.ts";
import { ModelConfig } from "../../../core/model/config.ts";
import { createModel } from "../../../core/model/create-model.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { type ChatMessage, StepRequest, type StepResponse, type ToolDescription } from "../../../core/model/step.ts";

export const KEY = "sk-canary-0123456789";
export const HEADER_SECRET = "header-canary-987654";

export const weather: ToolDescription = {
  name: "weather",
  description: "Tells the weather.",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
    required: ["city"],
  },
};

export const user = (text: string): ChatMessage => ({ role: "user", text });

const stepRequest = (rest: Partial<StepRequest> = {}): StepRequest => ({
  system: "You are a test.",
  messages: [user("hello")],
  tools: [],
  toolChoice: "auto",
  ...rest,
});

/** A real model client for the server at `baseUrl`. */
export const modelAt = (baseUrl: string, config: object = {}, deps: Partial<ModelDeps> = {}): AgentModel =>
  createModel(
    ModelConfig.parse({
      provider: "openai-compatible",
      baseUrl,
      model: "scripted",
      apiKey: KEY,
      headers: { "x-tenant": HEADER_SECRET },
      ...config,
    }),
    { clock: systemClock, logger: silentLogger, ...deps },
  );

export interface Run {
  readonly deltas: string[];
  readonly response?: StepResponse;
  readonly failure?: ModelFailed;
}

/** Runs a step and returns its response or its ModelFailed. Throws other errors. */
export const run = async (
  model: AgentModel,
  request: Partial<StepRequest> = {},
  options: { signal?: AbortSignal; onText?: (delta: string) => void } = {},
): Promise<Run> => {
  const deltas: string[] = [];
  const onText = (delta: string) => {
    deltas.push(delta);
    options.onText?.(delta);
  };
  try {
    const signal = options.signal ?? new AbortController().signal;
    return { deltas, response: await model.step(StepRequest.parse(stepRequest(request)), { signal, onText }) };
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    return { deltas, failure: error };
  }
};
