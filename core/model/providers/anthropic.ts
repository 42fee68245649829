import { z } from "zod";
import { baseUrl, headerValue, hostedFields } from "../hosted/hosted-config.ts";
import { askApiKey, askModelName, describeHosted, hostedModel } from "../hosted/hosted-model.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("anthropic").describe("Anthropic."),
  baseUrl: baseUrl.default("https://api.anthropic.com/v1").describe("Address; requests go to <baseUrl>/messages."),
  apiKey: headerValue().describe("API key."),
  ...hostedFields,
});

export const anthropic: ModelProvider<typeof Config> = {
  id: "anthropic",
  label: "Anthropic",
  config: Config,
  questions: [askModelName, askApiKey("Your Anthropic API key", "ANTHROPIC_API_KEY")],
  describe: describeHosted,
  create: (config, deps) =>
    hostedModel(
      config,
      deps,
      async (headers) => {
        const { createAnthropic } = await import("@ai-sdk/anthropic");
        const { baseUrl: baseURL, model } = config;
        const apiKey = config.apiKey.reveal();
        return (fetch) => createAnthropic({ baseURL, apiKey, headers, fetch })(model);
      },
      { imagesInResults: true, cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } } },
    ),
};
