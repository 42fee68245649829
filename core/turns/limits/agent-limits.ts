import { z } from "zod";

/** Limits of delegation, and the time that a turn waits for its subtasks (S9, B2). */
export const DelegationConfig = z.strictObject({
  depthBelowAgent: z.int().min(0).max(5).default(1).describe("How deep subtasks of a chat may nest; 0: no subtasks."),
  depthBelowOrchestrator: z.int().min(0).max(5).default(2).describe("The same for schedules and inbound tasks."),
  running: z.int().min(1).max(100).default(10).describe("Subtasks of one owner that may run at once."),
  perTurn: z.int().min(1).max(500).default(50).describe("Subtasks of one turn, with those of its continuations."),
  perMinute: z
    .int()
    .min(1)
    .max(10_000)
    .default(120)
    .describe("Subtasks that one owner (a chat, a schedule run, a subtask) may start within a minute."),
  continuations: z.int().min(0).max(20).default(3).describe("Continuations of one turn that may delegate again."),
  interactiveCeilingMs: z.int().min(1).default(300_000).describe("How long a chat's answer waits for its subtasks."),
  backgroundCeilingMs: z.int().min(1).default(600_000).describe("The same for schedules and inbound tasks."),
  graceMs: z.int().min(0).default(5_000).describe("Time for subtasks to end after they are stopped at the ceiling."),
});
export type DelegationConfig = z.infer<typeof DelegationConfig>;

export const defaultDelegation: DelegationConfig = DelegationConfig.parse({});

export const ceilingMs = (config: DelegationConfig, background: boolean): number =>
  background ? config.backgroundCeilingMs : config.interactiveCeilingMs;

export const maxDepth = (config: DelegationConfig, background: boolean): number =>
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
    .describe("How long a turn waits for another agent's answer; a later answer arrives in a turn of its own."),
  expiryMs: z
    .int()
    .min(1)
    .max(6 * 24 * 3_600_000)
    .default(24 * 3_600_000)
    .describe("A call without an answer expires after this time, and people get a notice."),
  openCalls: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe("Messages of one conversation to other agents that may wait for an answer."),
  lateWindowMs: z
    .int()
    .min(0)
    .max(60_000)
    .default(2_000)
    .describe("How long late answers are collected before one turn reports them."),
});
export type PeeringConfig = z.infer<typeof PeeringConfig>;

export const defaultPeering: PeeringConfig = PeeringConfig.parse({});
