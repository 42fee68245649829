import {
  type CallWarning,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  streamText,
  type TextPart,
  type ToolSet,
  tool,
} from "ai";
import { messageOf } from "../../contract/app-error.ts";
import type { Logger } from "../../contract/ports/logger.ts";
import type { AgentModel, ModelDeps, StepOptions, StepWork } from "../agent-model.ts";
import { ModelFailed } from "../model-failed.ts";
import type { ChatMessage, StepRequest, StepResponse, ToolCall, ToolDescription, ToolResult } from "../step.ts";
import { explainFailure, type FailureContext } from "./explain-failure.ts";
import type { HostedModelConfig } from "./hosted-config.ts";
import { idHeadersOf } from "./id-headers.ts";
import { Cutoff, readStep } from "./read-step.ts";
import { imagesOf, NO_IMAGES, type ShownImage, type ShownImages } from "./shown-images.ts";

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

/** Options of one provider for a part of the prompt. */
type ProviderOptions = NonNullable<TextPart["providerOptions"]>;

export interface ModelAbilities {
  /**
   * Tool results may contain images. Other providers would get the image as a huge text; a message after the results
   * shows it to them.
   */
  readonly imagesInResults?: boolean;
  /** The request says up to where the provider caches the prompt: everything before the context of the turn (M1). */
  readonly cacheMark?: ProviderOptions;
}

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
  readonly #deps: ModelDeps;
  /** Creating the SDK's model takes a quarter of a step's time, so it is reused. */
  readonly #idle: Client[] = [];
  readonly #warned = new Set<string>();
  readonly #abilities: ModelAbilities;

  constructor(config: HostedModelConfig, sdkModel: SdkModel, deps: ModelDeps, abilities: ModelAbilities = {}) {
    const { clock, logger } = deps;
    this.#deps = deps;
    this.#abilities = abilities;
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

  get seesImages(): boolean {
    return this.#config.images;
  }

  async step(request: StepRequest, options: StepOptions): Promise<StepResponse> {
    const { readFile } = options;
    const images = this.seesImages && readFile ? await imagesOf(request.messages, readFile) : NO_IMAGES;
    try {
      return await this.#step(request, options, images);
    } catch (error) {
      // A model behind a compatible server may take no images, and an image may be one that it does not take.
      if (images.size === 0 || !(error instanceof ModelFailed) || error.reason !== "refused") throw error;
      this.#logger.warn({ error: error.message }, "request with images refused, retrying without them");
      return this.#step(request, options, NO_IMAGES);
    }
  }

  async #step(request: StepRequest, options: StepOptions, images: ShownImages): Promise<StepResponse> {
    const { signal, onText, work } = options;
    const cutoff = new Cutoff(this.#context.clock, this.#config.timeouts, signal);
    const client = this.#idle.pop() ?? this.#newClient();
    client.exchange.status = undefined;
    try {
      if (cutoff.failure !== undefined) throw cutoff.failure;
      const sent = { images, headers: this.#idHeaders(work) };
      const { fullStream } = this.#stream(request, cutoff.signal, client.model, sent);
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

  #idHeaders(work: StepWork | undefined): Record<string, string> {
    const { idHeaders, baseUrl } = this.#config;
    return idHeaders === undefined || Object.keys(idHeaders).length === 0
      ? {}
      : idHeadersOf(idHeaders, baseUrl, this.#deps, work);
  }

  #stream(
    { system, messages, tools, toolChoice }: StepRequest,
    abortSignal: AbortSignal,
    model: LanguageModel,
    { images, headers }: { readonly images: ShownImages; readonly headers: Record<string, string> },
  ) {
    const { temperature, maxOutputTokens } = this.#config;
    return streamText({
      model,
      ...(system === "" ? {} : { system }),
      messages: toModelMessages(messages, images, this.#abilities),
      ...(tools.length === 0 ? {} : { tools: toToolSet(tools), toolChoice }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      headers,
      maxRetries: 0,
      abortSignal,
      // Errors are read from the stream; the default handler prints them with the prompt.
      onError: () => {},
    });
  }
}

const toolSets = new WeakMap<readonly ToolDescription[], ToolSet>();

/** Cached per list, because all steps of all turns share one list of descriptions. */
const toToolSet = (tools: readonly ToolDescription[]): ToolSet => {
  const known = toolSets.get(tools);
  if (known !== undefined) return known;
  const made: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
  toolSets.set(tools, made);
  return made;
};

/** Providers refuse a user message without text, e.g. one that had only attachments. */
const NO_TEXT = "(no text)";

/** Converts the history to the SDK's messages. Drops or replaces parts that a provider would refuse. */
const toModelMessages = (
  messages: readonly ChatMessage[],
  images: ShownImages,
  abilities: ModelAbilities,
): ModelMessage[] => messages.flatMap((message) => toModelMessage(message, images, abilities));

const toModelMessage = (
  message: ChatMessage,
  images: ShownImages,
  { imagesInResults = false, cacheMark }: ModelAbilities,
): ModelMessage[] => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(message, images.get(message) ?? [], cacheMark) }];
    case "assistant": {
      const text = isBlank(message.text) ? [] : [{ type: "text" as const, text: message.text }];
      const content = [...text, ...message.toolCalls.map(toCallPart)];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      if (message.results.length === 0) return [];
      return toResultMessages(message.results, images, imagesInResults);
  }
};

/** Without a mark and images the content is one text, because some servers accept no list of parts. */
const userContent = (
  { text, context, images = [] }: Extract<ChatMessage, { role: "user" }>,
  shown: readonly ShownImage[],
  mark: ProviderOptions | undefined,
) => {
  const missing = images.length - shown.length;
  const written = isBlank(text) ? NO_TEXT : text;
  const noted = missing === 0 ? written : `${written}\n[attached images not shown here: ${missing}]`;
  const isMarked = mark !== undefined && context !== undefined;
  if (shown.length === 0 && !isMarked) return context === undefined ? noted : `${noted}\n\n${context}`;
  const parts = [{ type: "text" as const, text: noted }, ...shown.map(imagePart)];
  const last = parts.at(-1);
  return [
    ...parts.slice(0, -1),
    ...(last === undefined ? [] : [isMarked ? { ...last, providerOptions: mark } : last]),
    ...(context === undefined ? [] : [{ type: "text" as const, text: context }]),
  ];
};

const imagePart = ({ mediaType, data }: ShownImage) => ({ type: "image" as const, image: data, mediaType });

const withImages = (text: string, images: readonly ShownImage[]): ModelMessage => ({
  role: "user",
  content: [{ type: "text", text }, ...images.map(imagePart)],
});

const toResultMessages = (
  results: readonly ToolResult[],
  images: ShownImages,
  imagesInResults: boolean,
): ModelMessage[] => {
  const inResult = (result: ToolResult) => (imagesInResults ? images.get(result) : undefined);
  const apart = imagesInResults ? [] : results.flatMap((result) => images.get(result) ?? []);
  return [
    { role: "tool", content: results.map((result) => toResultPart(result, inResult(result))) },
    ...(apart.length === 0 ? [] : [withImages("[images of the tool results above]", apart)]),
  ];
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

const toResultPart = ({ callId, name, output, failed }: ToolResult, images: readonly ShownImage[] = []) => ({
  type: "tool-result" as const,
  toolCallId: callId,
  toolName: name,
  output:
    images.length === 0
      ? { type: failed ? ("error-text" as const) : ("text" as const), value: output }
      : {
          type: "content" as const,
          value: [
            { type: "text" as const, text: output },
            ...images.map((image) => ({ type: "image-data" as const, ...image })),
          ],
        },
});
