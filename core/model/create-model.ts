import type { AgentModel } from "./agent-model.ts";
import type { ModelConfig } from "./config.ts";
import { DemoModel } from "./demo/demo-model.ts";
import { LazyModel } from "./lazy-model.ts";
import type { ModelParts } from "./model-parts.ts";

/** Loading `ai` and a provider takes 0.2 s, so it happens only for a model that needs them. */
export const createModel = (config: ModelConfig, parts: ModelParts): AgentModel => {
  if (config.provider === "demo") return new DemoModel(config, parts);
  return new LazyModel(`${config.provider}/${config.model}`, async () => {
    const { AiSdkModel } = await import("./ai-sdk/ai-sdk-model.ts");
    return AiSdkModel.load(config, parts);
  });
};
