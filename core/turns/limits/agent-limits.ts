import { z } from "zod";

/** Limits of delegation, and the time that a turn waits for its subtasks (S9, B2). */
export const DelegationConfig = z.strictObject({
  depthBelowAgent: z.int().min(0).max(5).default(1).describe("How deep subtasks of a chat may nest; 0: no subtasks."),
  depthBelowOrchestrator: z.int().min(0).max(5).default(2).describe("The same for schedules and inbound tasks."),
  running: z.int().min(1).max(100).default(10).describe("Subtasks of one owner that may be under way at once."),
  perTurn: z.int().min(1).max(500).default(50).describe("Subtasks of one turn, with those of its continuations."),
  continuations: z.int().min(0).max(20).default(3).describe("Continuations of one turn that may delegate again."),
  interactiveCeilingMs: z.int().min(1).default(300_000).describe("How long a chat's answer waits for its subtasks."),
  backgroundCeilingMs: z.int().min(1).default(600_000).describe("The same for schedules and inbound tasks."),
  graceMs: z.int().min(0).default(5_000).describe("What those who are stopped at the ceiling have left to end."),
});
export type DelegationConfig = z.infer<typeof DelegationConfig>;

export const defaultDelegation: DelegationConfig = DelegationConfig.parse({});

export const ceilingMs = (config: DelegationConfig, background: boolean): number =>
  background ? config.backgroundCeilingMs : config.interactiveCeilingMs;

export const deepest = (config: DelegationConfig, background: boolean): number =>
  background ? config.depthBelowOrchestrator : config.depthBelowAgent;

/** Results that arrive later than this after the ceiling are stored but not announced. */
export const AMENDMENT_SLACK_MS = 120_000;

/** Limits of the work with other agents (A1, A5, A6). */
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
