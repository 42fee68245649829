import { z } from "zod";
import { baseUrl, headerValue, hostedFields } from "../hosted-config.ts";
import { askApiKey, askModelName, describeHosted, hostedModel } from "../hosted-model.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("openai-compatible"),
  /** With the version in its path: requests go to <baseUrl>/chat/completions. */
  baseUrl,
  /** Servers on the own machine often want none. */
  apiKey: headerValue().optional(),
  ...hostedFields,
});

export const openAiCompatible: ModelProvider<typeof Config> = {
  id: "openai-compatible",
  label: "a server that speaks OpenAI's protocol, also on your own machine",
  config: Config,
  questions: [
    {
      flag: "model-url",
      message: "Its address, with the version",
      example: "https://api.openai.com/v1",
      setting: ["baseUrl"],
    },
    askModelName,
    { ...askApiKey, message: "Its API key (empty if the server wants none)", optional: true },
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
