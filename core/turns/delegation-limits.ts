import { z } from "zod";

/** How much an agent may delegate, and how long it waits for it (S9, B2). */
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

/** Whatever comes later than this after the ceiling is kept, but nobody is told. */
export const AMENDMENT_SLACK_MS = 120_000;
