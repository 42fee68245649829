import { z } from "zod";
import { DemoModel } from "../demo/demo-model.ts";
import { contextTokens } from "../hosted-config.ts";
import type { ModelProvider } from "../provider.ts";

const Config = z.strictObject({
  provider: z.literal("demo"),
  /** Between two words, so that streaming can be watched. */
  pauseMs: z.int().min(0).max(10_000).default(0),
  /** How long each step of a subtask takes, so that its progress can be watched. */
  workMs: z.int().min(0).max(60_000).default(1_500),
  contextTokens,
});

export const demo: ModelProvider<typeof Config> = {
  id: "demo",
  label: "demo: no key, no network, to look around",
  config: Config,
  questions: [],
  isForTrial: true,
  describe: () => "the demo model (no key, no network)",
  create: (config, deps) => new DemoModel(config, deps),
};
