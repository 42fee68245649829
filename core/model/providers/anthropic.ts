import { z } from "zod";
import { baseUrl, headerValue, hostedFields } from "../hosted-config.ts";
import { askApiKey, askModelName, describeHosted, hostedModel } from "../hosted-model.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("anthropic"),
  /** Requests go to <baseUrl>/messages. */
  baseUrl: baseUrl.default("https://api.anthropic.com/v1"),
  apiKey: headerValue(),
  ...hostedFields,
});

export const anthropic: ModelProvider<typeof Config> = {
  id: "anthropic",
  label: "Anthropic",
  config: Config,
  questions: [askModelName, { ...askApiKey, message: "Your API key" }],
  describe: describeHosted,
  create: (config, deps) =>
    hostedModel(config, deps, async (headers) => {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const { baseUrl: baseURL, model } = config;
      const apiKey = config.apiKey.reveal();
      return (fetch) => createAnthropic({ baseURL, apiKey, headers, fetch })(model);
    }),
};
