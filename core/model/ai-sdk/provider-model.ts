import type { LanguageModel } from "ai";
import type { HostedModelConfig } from "../config.ts";

/** Makes the SDK's model with a fetch of its own, so that requests side by side can be told apart. */
export type ProviderModel = (fetch: typeof globalThis.fetch) => LanguageModel;

export const loadProviderModel = async (config: HostedModelConfig): Promise<ProviderModel> => {
  const { provider, model, baseUrl, apiKey } = config;
  const headers = Object.fromEntries(Object.entries(config.headers).map(([name, value]) => [name, value.reveal()]));
  if (provider === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return (fetch) => createAnthropic({ baseURL: baseUrl, apiKey: apiKey.reveal(), headers, fetch })(model);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const key = apiKey === undefined ? {} : { apiKey: apiKey.reveal() };
  return (fetch) =>
    createOpenAICompatible({ name: "openaiCompatible", baseURL: baseUrl, ...key, headers, fetch, includeUsage: true })(
      model,
    );
};
