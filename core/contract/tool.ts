import type { z } from "zod";
import type { WorkBudget } from "./budget.ts";
import type { AgentRef } from "./messages/addresses.ts";
import { type DelegationContext, type WorkContext, workContextOf } from "./messages/work-context.ts";
import type { Need, Permit } from "./rights.ts";

/** The agent, turn and work context of a tool call. */
export interface ToolContext extends AgentRef, Readonly<Omit<WorkContext, "standing">> {
  readonly delegationContext: DelegationContext;
  readonly turnId: string;
  /** The rights of those who caused the work (R1). */
  readonly permit: Permit;
  /** The budgets of the work (R2). Absent: nothing limits it. */
  readonly budget?: WorkBudget | undefined;
  /** All tools that this turn may use. */
  readonly tools: readonly Pick<Tool, "name" | "internal">[];
  /** A call that is repeated after a crash has the same key. */
  readonly idempotencyKey: string;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** The work context of the turn in the form that records store. */
export const workContextOfTool = (context: Omit<ToolContext, "tools" | "signal" | "permit" | "budget">): WorkContext =>
  workContextOf({ ...context, standing: context.delegationContext });

export interface Tool<Input = unknown> {
  /** Letters, digits, "_" and "-"; at most 64. */
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The right that a call needs (R1). Work without it is not offered the tool, and a call is refused. */
  readonly needs: Need;
  /** Description and input depend on settings, so they are not cached between steps. */
  readonly varies?: boolean;
  /** The tool validates its input itself, more leniently than the schema that the model gets. */
  readonly checksInput?: boolean;
  /** Idempotent for the same idempotency key. */
  readonly repeatable: boolean;
  /** A successful run ends the turn. */
  readonly endsTurn?: boolean;
  /** For people only: turns for another agent do not get it. */
  readonly isForPeople?: boolean;
  /** Not for subagents, because only their owner writes to people. */
  readonly isForOwner?: boolean;
  /** The kind of work that a run may add to the turn's batch. Its result may arrive after the turn (B4, L6). */
  readonly delegates?: "subtask" | "peer-call";
  /** Withheld from subagents at the maximum depth: it delegates, manages subtasks, or schedules a run that could. */
  readonly needsDepth?: boolean;
  /** The tool's name is removed from text about other agents' answers (A6). */
  readonly internal?: boolean;
  /** Timeout of one run; 60 s by default. */
  readonly deadlineMs?: number;
  /** The result is for the model. A throw becomes a failed result with the message of the error. */
  run(input: Input, context: ToolContext): Promise<string>;
}
