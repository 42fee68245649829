import { type CallWarning, jsonSchema, streamText, type ToolSet, tool } from "ai";
import { messageOf } from "../../contract/app-error.ts";
import type { Logger } from "../../contract/logger.ts";
import type { AgentModel, StepOptions } from "../agent-model.ts";
import type { HostedModelConfig } from "../config.ts";
import { Cutoff } from "../cutoff.ts";
import type { ModelParts } from "../model-parts.ts";
import type { StepRequest, StepResponse, ToolDescription } from "../step.ts";
import { Exchange } from "./exchange.ts";
import { explainFailure, type FailureContext } from "./explain-failure.ts";
import { loadProviderModel, type ProviderModel } from "./provider-model.ts";
import { readStep } from "./read-step.ts";
import { toModelMessages } from "./to-model-messages.ts";

// The SDK would print its warnings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A model behind one of the providers of `ai`. */
export class AiSdkModel implements AgentModel {
  readonly label: string;
  readonly #config: HostedModelConfig;
  readonly #providerModel: ProviderModel;
  readonly #context: FailureContext;
  readonly #logger: Logger;
  readonly #warned = new Set<string>();

  private constructor(config: HostedModelConfig, providerModel: ProviderModel, { clock, logger }: ModelParts) {
    this.label = `${config.provider}/${config.model}`;
    this.#logger = logger.child({ model: this.label });
    this.#config = config;
    this.#providerModel = providerModel;
    this.#context = {
      model: `${this.label} at ${new URL(config.baseUrl).host}`,
      secrets: [config.apiKey, ...Object.values(config.headers)].flatMap((secret) => secret?.reveal() ?? []),
      clock,
    };
  }

  static async load(config: HostedModelConfig, parts: ModelParts): Promise<AiSdkModel> {
    return new AiSdkModel(config, await loadProviderModel(config), parts);
  }

  async step(request: StepRequest, { signal, onText }: StepOptions): Promise<StepResponse> {
    const cutoff = new Cutoff(this.#context.clock, this.#config.timeouts, signal);
    const exchange = new Exchange();
    try {
      if (cutoff.failure !== undefined) throw cutoff.failure;
      const { fullStream } = this.#stream(request, cutoff.signal, exchange);
      const listeners = { cutoff, onText: this.#guarded(onText), onWarning: this.#onWarning };
      return await Promise.race([readStep(fullStream, request, listeners), cutoff.cut]);
    } catch (error) {
      throw cutoff.failure ?? explainFailure(error, exchange.status, this.#context);
    } finally {
      cutoff.dispose();
    }
  }

  /** Deltas are a hint that makes a screen livelier: a listener that breaks does not take the answer with it. */
  #guarded(onText: StepOptions["onText"]): StepOptions["onText"] {
    let broken = false;
    return (delta) => {
      if (broken) return;
      try {
        onText(delta);
      } catch (error) {
        broken = true;
        this.#logger.error({ error: messageOf(error) }, "a listener for text deltas failed");
      }
    };
  }

  readonly #onWarning = (warning: CallWarning): void => {
    const about = "feature" in warning ? warning.feature : warning.message;
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    this.#logger.warn({ about }, "the provider does not take a setting as it is");
  };

  #stream({ system, messages, tools, toolChoice }: StepRequest, abortSignal: AbortSignal, exchange: Exchange) {
    const { temperature, maxOutputTokens } = this.#config;
    return streamText({
      model: this.#providerModel(exchange.fetch),
      ...(system === "" ? {} : { system }),
      messages: toModelMessages(messages),
      ...(tools.length === 0 ? {} : { tools: toToolSet(tools), toolChoice }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      maxRetries: 0,
      abortSignal,
      // Errors are read from the stream; the default prints them, prompt and all.
      onError: () => {},
    });
  }
}

const toToolSet = (tools: readonly ToolDescription[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
