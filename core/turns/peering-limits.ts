import { z } from "zod";

/** How an agent works with others (A1, A5, A6). */
export const PeeringConfig = z.strictObject({
  wakeToolRounds: z
    .int()
    .min(0)
    .max(100)
    .default(2)
    .describe(
      "Rounds of tool calls in a turn that a notification or question of another agent starts; never more than " +
        "maxToolRounds, which delegated work gets.",
    ),
  consultMs: z
    .int()
    .min(1)
    .max(600_000)
    .default(60_000)
    .describe("How long a question to another agent is waited for; then its answer comes later."),
  expiryMs: z
    .int()
    .min(1)
    .max(6 * 24 * 3_600_000)
    .default(24 * 3_600_000)
    .describe("After this time without an answer people are told that there is none."),
  openCalls: z.int().min(1).max(100).default(10).describe("Messages of one conversation that may wait for an answer."),
  lateWindowMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(2_000)
    .describe("Answers that come too late for whoever asked are gathered for so long."),
});
export type PeeringConfig = z.infer<typeof PeeringConfig>;

export const defaultPeering: PeeringConfig = PeeringConfig.parse({});
