import { messageOf } from "../contract/app-error.ts";
import type { AgentModel, ModelDeps, StepOptions } from "./agent-model.ts";
import type { ModelConfig } from "./config.ts";
import { DemoModel } from "./demo/demo-model.ts";
import { ModelFailed } from "./model-failed.ts";
import type { StepRequest, StepResponse } from "./step.ts";

/** Loading `ai` and a provider takes 0.2 s, so it happens only for a model that needs them. */
export const createModel = (config: ModelConfig, deps: ModelDeps): AgentModel => {
  if (config.provider === "demo") return new DemoModel(config, deps);
  return new LazyModel(`${config.provider}/${config.model}`, async () => {
    const { AiSdkModel } = await import("./ai-sdk/ai-sdk-model.ts");
    return AiSdkModel.load(config, deps);
  });
};

/** A model whose SDK is loaded in the background: start-up does not wait for it, the first step does. */
export class LazyModel implements AgentModel {
  readonly label: string;
  readonly #loading: Promise<AgentModel>;

  constructor(label: string, load: () => Promise<AgentModel>) {
    this.label = label;
    this.#loading = load();
    // Reported by the step that needs the model.
    this.#loading.catch(() => {});
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    const model = await this.#loading.catch((error: unknown) => {
      throw new ModelFailed("refused", `cannot load ${this.label}: ${messageOf(error)}; install the packages again`);
    });
    return model.step(request, options);
  }
}
