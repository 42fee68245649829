import type { AgentModel, StepOptions } from "./agent-model.ts";
import type { StepRequest, StepResponse } from "./step.ts";

/** A model that can be replaced while turns run: a step in progress ends with the old one, the next step uses the new one. */
export class ReplaceableModel implements AgentModel {
  #model: AgentModel;

  constructor(model: AgentModel) {
    this.#model = model;
  }

  get label(): string {
    return this.#model.label;
  }

  get seesImages(): boolean {
    return this.#model.seesImages === true;
  }

  replace(model: AgentModel): void {
    this.#model = model;
  }

  step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    return this.#model.step(request, options);
  }
}
