import { z } from "zod";
import { DemoModel } from "../demo/demo-model.ts";
import { contextTokens } from "../hosted/hosted-config.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("demo").describe("Fixed rules, without a key and a network."),
  pauseMs: z.int().min(0).max(10_000).default(0).describe("Pause between two words, to make streaming visible."),
  workMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(1_500)
    .describe("Duration of each step of a subtask, to make its progress visible."),
  contextTokens,
});

export const demo: ModelProvider<typeof Config> = {
  id: "demo",
  label: "demo: fixed rules, no key, no network",
  config: Config,
  questions: [],
  isForTrial: true,
  describe: () => "the demo model (no key, no network)",
  create: (config, deps) => new DemoModel(config, deps),
};
