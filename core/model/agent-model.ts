import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { StepRequest, StepResponse } from "./step.ts";

/** The port to a language model. */
export interface AgentModel {
  /** Names provider and model in logs and metrics, e.g. "openai-compatible/gpt-x". */
  readonly label: string;
  /** One model response. Never retries, never runs a tool. Rejects with ModelFailed only. */
  step(request: StepRequest, options: StepOptions): Promise<StepResponse>;
}

export interface StepOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text until the step ends. The response has the whole text. */
  onText(delta: string): void;
}

/** The ports that every model needs. */
export interface ModelDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}
