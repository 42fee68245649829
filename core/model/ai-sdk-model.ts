import {
  type CallWarning,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type ToolSet,
  tool,
} from "ai";
import { messageOf } from "../contract/app-error.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { AgentModel, ModelDeps, StepOptions } from "./agent-model.ts";
import { explainFailure, type FailureContext } from "./explain-failure.ts";
import type { HostedModelConfig } from "./hosted-config.ts";
import { Cutoff, readStep } from "./read-step.ts";
import type { ChatMessage, StepRequest, StepResponse, ToolCall, ToolDescription, ToolResult } from "./step.ts";

/** The real HTTP status of a request: the SDKs report some broken streams as HTTP 500. */
class Exchange {
  /** Undefined until the server has answered. */
  status: number | undefined;

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    // Following a redirect would send the key in a custom header to another host.
    const response = await fetch(url, { ...init, redirect: "manual" });
    this.status = response.status;
    return response;
  };
}

// The SDK would print its warnings to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Creates the SDK's model with its own fetch, so that concurrent requests can be distinguished. */
export type SdkModel = (fetch: typeof globalThis.fetch) => LanguageModel;

/** The SDK's model and the exchange that its requests write to; used by one step at a time. */
interface Client {
  readonly exchange: Exchange;
  readonly model: LanguageModel;
}

/** A model behind one of the providers of `ai`. */
export class AiSdkModel implements AgentModel {
  readonly label: string;
  readonly #config: HostedModelConfig;
  readonly #sdkModel: SdkModel;
  readonly #context: FailureContext;
  readonly #logger: Logger;
  /** Creating the SDK's model takes a quarter of a step's time, so it is reused. */
  readonly #idle: Client[] = [];
  readonly #warned = new Set<string>();

  constructor(config: HostedModelConfig, sdkModel: SdkModel, { clock, logger }: ModelDeps) {
    this.label = `${config.provider}/${config.model}`;
    this.#logger = logger.child({ model: this.label });
    this.#config = config;
    this.#sdkModel = sdkModel;
    this.#context = {
      model: `${this.label} at ${new URL(config.baseUrl).host}`,
      secrets: [config.apiKey, ...Object.values(config.headers)].flatMap((secret) => secret?.reveal() ?? []),
      clock,
    };
  }

  async step(request: StepRequest, { signal, onText }: StepOptions): Promise<StepResponse> {
    const cutoff = new Cutoff(this.#context.clock, this.#config.timeouts, signal);
    const client = this.#idle.pop() ?? this.#newClient();
    client.exchange.status = undefined;
    try {
      if (cutoff.failure !== undefined) throw cutoff.failure;
      const { fullStream } = this.#stream(request, cutoff.signal, client.model);
      const listeners = { cutoff, onText: this.#guarded(onText), onWarning: this.#onWarning };
      const response = await Promise.race([readStep(fullStream, request, listeners), cutoff.cut]);
      // Not after a failure: the request may still run and would write into the exchange of the next step.
      this.#idle.push(client);
      return response;
    } catch (error) {
      throw explainFailure(error, client.exchange.status, this.#context);
    } finally {
      cutoff.dispose();
    }
  }

  #newClient(): Client {
    const exchange = new Exchange();
    return { exchange, model: this.#sdkModel(exchange.fetch) };
  }

  /** Deltas are optional, so a failing listener does not fail the answer. */
  #guarded(onText: StepOptions["onText"]): StepOptions["onText"] {
    let broken = false;
    return (delta) => {
      if (broken) return;
      try {
        onText(delta);
      } catch (error) {
        broken = true;
        this.#logger.error({ error: messageOf(error) }, "text delta listener failed");
      }
    };
  }

  readonly #onWarning = (warning: CallWarning): void => {
    const about = "feature" in warning ? warning.feature : warning.message;
    if (this.#warned.has(about)) return;
    this.#warned.add(about);
    this.#logger.warn({ about }, "provider does not support a setting");
  };

  #stream({ system, messages, tools, toolChoice }: StepRequest, abortSignal: AbortSignal, model: LanguageModel) {
    const { temperature, maxOutputTokens } = this.#config;
    return streamText({
      model,
      ...(system === "" ? {} : { system }),
      messages: toModelMessages(messages),
      ...(tools.length === 0 ? {} : { tools: toToolSet(tools), toolChoice }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      maxRetries: 0,
      abortSignal,
      // Errors are read from the stream; the default handler prints them with the prompt.
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

/** Providers refuse a user message without text, e.g. one that had only attachments. */
const NO_TEXT = "(no text)";

/** Converts the history to the SDK's messages. Drops or replaces parts that a provider would refuse. */
const toModelMessages = (messages: readonly ChatMessage[]): ModelMessage[] => messages.flatMap(toModelMessage);

const toModelMessage = (message: ChatMessage): ModelMessage[] => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: isBlank(message.text) ? NO_TEXT : message.text }];
    case "assistant": {
      const text = isBlank(message.text) ? [] : [{ type: "text" as const, text: message.text }];
      const content = [...text, ...message.toolCalls.map(toCallPart)];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return message.results.length === 0 ? [] : [{ role: "tool", content: message.results.map(toResultPart) }];
  }
};

const isBlank = (text: string): boolean => text.trim() === "";

const toCallPart = ({ id, name, input }: ToolCall) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: name,
  input: isRecord(input) ? input : { malformed: input ?? null },
});

/** Malformed arguments are kept as text; providers accept only an object in the history. */
const isRecord = (input: unknown): boolean => typeof input === "object" && input !== null && !Array.isArray(input);

const toResultPart = ({ callId, name, output, failed }: ToolResult) => ({
  type: "tool-result" as const,
  toolCallId: callId,
  toolName: name,
  output: { type: failed ? ("error-text" as const) : ("text" as const), value: output },
});
