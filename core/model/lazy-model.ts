import { messageOf } from "../contract/app-error.ts";
import type { AgentModel, StepOptions } from "./agent-model.ts";
import { ModelFailed } from "./model-failed.ts";
import type { StepRequest, StepResponse } from "./step.ts";

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
