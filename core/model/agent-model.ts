import type { FileRef } from "../contract/file-ref.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { WorkContext } from "../contract/messages/work-context.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { AgentEndpoint } from "../contract/remote-endpoint.ts";
import type { ModelFailed } from "./model-failed.ts";
import type { StepRequest, StepResponse } from "./step.ts";

/** The port to a language model, or to an agent elsewhere that answers in its place. */
export interface AgentModel {
  /** Names provider and model in logs and metrics, e.g. "openai-compatible/gpt-x". */
  readonly label: string;
  /** An agent elsewhere: it has its own directives, tools and history, and writes no summaries for us. */
  readonly isAgent?: true;
  /** It takes pictures. */
  readonly seesImages?: boolean;
  /** One model response. Never retries, never runs a tool. Rejects with ModelFailed, or if the backbone fails. */
  step(request: StepRequest, options: StepOptions): Promise<StepResponse>;
  /** Checks address and credentials without starting work. Absent: only a real answer proves them. */
  probe?(signal: AbortSignal): Promise<void>;
}

export interface StepOptions {
  readonly signal: AbortSignal;
  /** Called with each piece of text until the step ends. The response has the whole text. */
  onText(delta: string): void;
  /** Reads files of prompts and tool results; undefined if one has expired. Absent: the model gets text only. */
  readFile?(file: FileRef): Promise<Uint8Array | undefined>;
  /** Absent for a summary or a check, which no turn needs. */
  readonly work?: StepWork;
  /** Called before another model is asked the same; text that it has sent so far is void. */
  onSwitch?(change: ModelSwitch): void;
}

/** A model failed, and the next one of the agent is asked. Both are labels. */
export interface ModelSwitch {
  readonly from: string;
  readonly to: string;
  readonly failure: ModelFailed;
}

/** The turn that a step belongs to. */
export interface StepWork extends AgentRef, WorkContext {
  readonly turnId: string;
  /** The message, with the author's name in a shared conversation. */
  readonly text: string;
  /** The message without the author's name. */
  readonly unsignedText: string;
  /** The message that it replies to, without its author. */
  readonly quoted?: string | undefined;
  /** Additional context for this turn only. */
  readonly note?: string | undefined;
}

/** The ports that every model needs. */
export interface ModelDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stands for an id of ours at one receiver: two receivers cannot match their pseudonyms (R7). Core provides it. */
  readonly pseudonymOf?: (receiver: string, id: string) => string;
  /** Connects an agent elsewhere. Core provides it, because it has the protocol. */
  readonly connectAgent?: (endpoint: AgentEndpoint, label: string) => AgentModel;
}
