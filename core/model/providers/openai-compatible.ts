import { z } from "zod";
import { baseUrl, headerValue, hostedFields } from "../hosted/hosted-config.ts";
import { askApiKey, askModelName, describeHosted, hostedModel } from "../hosted/hosted-model.ts";
import { IdHeaders } from "../hosted/id-headers.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("openai-compatible").describe("OpenAI, and servers with the same protocol."),
  baseUrl: baseUrl.describe("Address with the version in its path; requests go to <baseUrl>/chat/completions."),
  apiKey: headerValue().optional().describe("API key; local servers often need none."),
  idHeaders: IdHeaders.prefault({}).describe(
    "Names of request headers that carry ids of the work; without a name, an id is not sent.",
  ),
  ...hostedFields,
});

export const openAiCompatible: ModelProvider<typeof Config> = {
  id: "openai-compatible",
  label: "any other server with an OpenAI-compatible API",
  config: Config,
  questions: [
    {
      flag: "model-url",
      message: "Address of the model server, with the version",
      example: "https://api.openai.com/v1",
      setting: ["baseUrl"],
    },
    askModelName,
    { ...askApiKey("API key of the server (empty if it needs none)", "MODEL_API_KEY"), optional: true },
  ],
  presets: [
    {
      id: "openai",
      label: "OpenAI",
      settings: { baseUrl: "https://api.openai.com/v1" },
      questions: [askModelName, askApiKey("Your OpenAI API key", "OPENAI_API_KEY")],
    },
    {
      id: "ollama",
      label: "Ollama: models on your own machine, no key",
      settings: {},
      questions: [
        {
          flag: "model-url",
          message: "Address of Ollama, with the version",
          otherwise: "http://localhost:11434/v1",
          setting: ["baseUrl"],
        },
        { ...askModelName, message: "Name of the model, as `ollama list` shows it" },
      ],
    },
    {
      id: "openrouter",
      label: "OpenRouter: models of many providers with one key",
      settings: { baseUrl: "https://openrouter.ai/api/v1" },
      questions: [
        { ...askModelName, example: "provider/model" },
        askApiKey("Your OpenRouter API key", "OPENROUTER_API_KEY"),
      ],
    },
  ],
  describe: describeHosted,
  create: (config, deps) =>
    hostedModel(config, deps, async (headers) => {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { baseUrl: baseURL, apiKey, model } = config;
      const key = apiKey === undefined ? {} : { apiKey: apiKey.reveal() };
      const options = { name: "openaiCompatible", baseURL, ...key, headers, includeUsage: true };
      return (fetch) => createOpenAICompatible({ ...options, fetch })(model);
    }),
};
