import { z } from "zod";
import { atMostOneCredential, endpointFields } from "../../contract/remote-endpoint.ts";
import type { AgentModel } from "../agent-model.ts";
import { ModelFailed } from "../model-failed.ts";
import type { ModelProvider } from "../provider.ts";

/** One minute less than the deadline of a turn, so that the person gets the more exact text. */
const MAX_WAIT_MS = 14 * 60_000;
const ONE_DAY_MS = 24 * 3_600_000;
/** One day less than the time for which the bus keeps the message that follows the task. */
const MAX_DEADLINE_MS = 6 * ONE_DAY_MS;

const Config = z
  .strictObject({
    provider: z.literal("a2a").describe("An agent elsewhere, reached through the A2A protocol 1.0."),
    ...endpointFields,
    trusted: z
      .boolean()
      .default(false)
      .describe(
        "Also sends it the person's name, language and time zone, where the work began, and the trace. Otherwise it " +
          "gets only the message and a pseudonym of the person.",
      ),
    deadlineMs: z
      .int()
      .min(1_000)
      .max(MAX_DEADLINE_MS)
      .default(ONE_DAY_MS)
      .describe("Time for one answer, in milliseconds; afterwards the task is cancelled."),
    waitMs: z
      .int()
      .min(1_000)
      .max(MAX_WAIT_MS)
      .default(MAX_WAIT_MS)
      .describe(
        "How long a conversation waits for an answer, in milliseconds. Afterwards the person can write again, and the " +
          "answer is delivered when the agent has it.",
      ),
    unreachableMs: z
      .int()
      .min(0)
      .max(600_000)
      .default(60_000)
      .describe("How long an unreachable agent is retried before the message fails, in milliseconds."),
  })
  .refine(atMostOneCredential, "takes a token or an apiKey, not both");

/** An agent elsewhere behind the channels (T6). */
export const a2a: ModelProvider<typeof Config> = {
  id: "a2a",
  label: "an agent elsewhere, through the A2A protocol",
  config: Config,
  isAgent: true,
  questions: [
    {
      flag: "model-url",
      message: "Address of the agent, below which its agent card is found",
      example: "https://agent.example.com",
      setting: ["url"],
    },
    {
      flag: "model-key",
      message: "Bearer token of the agent (empty if it needs none)",
      setting: ["token"],
      env: "MODEL_API_KEY",
      optional: true,
    },
  ],
  describe: ({ url }) => `the agent at ${new URL(url).host}`,
  create: (config, { connectAgent }) => {
    const label = `a2a/${new URL(config.url).host}`;
    return connectAgent?.(config, label) ?? unconnected(label);
  },
};

/** Names the agent where no work runs. */
const unconnected = (label: string): AgentModel => ({
  label,
  isAgent: true,
  step: async () => {
    throw new ModelFailed("refused", `${label} is not connected in this process`);
  },
});
