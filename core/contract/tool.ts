import type { z } from "zod";
import type { WorkBudget } from "./budget.ts";
import type { FileRef } from "./file-ref.ts";
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
  /** The time zone and the language for times: the person's, else the channel's, else the configuration's (M2). */
  readonly localTime?: { readonly timeZone: string; readonly locale?: string | undefined };
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Shows people a short line while the call runs. */
  readonly progress?: (text: string) => void;
  /** Whether the asker wrote this address in the message that the work began with, or in an earlier one of the session. */
  readonly askerWrote?: (url: string) => Promise<boolean>;
}

/** The work context of the turn in the form that records store. */
export const workContextOfTool = (context: Omit<ToolContext, "tools" | "signal" | "permit" | "budget">): WorkContext =>
  workContextOf({ ...context, standing: context.delegationContext });

/** A file that a tool returns. */
export interface ToolFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The result of a tool that returns more than text. */
export interface ToolOutput {
  /** For the model. */
  readonly text: string;
  readonly files?: readonly ToolFile[];
  /** Files that are stored already, such as those of delegated work. */
  readonly stored?: readonly FileRef[];
  /** Stored files that only the model sees, such as a picture of the conversation. */
  readonly shown?: readonly FileRef[];
}

/** A tool whose calls a person must approve before they run (T4). */
export interface ApprovalRule {
  /** An approval never holds for more than one call. */
  readonly isDestructive: boolean;
  /** An approval never holds for more than one call, although the tool destroys nothing. */
  readonly isForOneCall?: boolean;
  /** Calls ask only if the model has read text of pages, tools, files or other agents in this conversation (T1). */
  readonly onlyForeignText?: boolean;
  /** Digest of the tool's definition: an approval that holds for an hour ends when the definition changes. */
  readonly definition: string;
}

export interface Tool<Input = unknown> {
  /** Letters, digits, "_" and "-"; at most 64. */
  readonly name: string;
  /** The MCP server that runs it. */
  readonly server?: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The JSON schema for the model, if the tool comes with one; else it is made from `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** The right that a call needs (R1). Work without it is not offered the tool, and a call is refused. */
  readonly needs: Need;
  /** Description and input depend on settings, so they are not cached between steps. */
  readonly varies?: boolean;
  /** The tool validates its input itself, more leniently than the schema that the model gets. */
  readonly checksInput?: boolean;
  /** Idempotent for the same idempotency key. */
  readonly repeatable: boolean;
  /** A `repeatable` tool whose call in another turn takes effect once more, such as a second reminder (C5). */
  readonly hasEffects?: boolean;
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
  /** Its output holds only words of people and of Mooring, none of pages, programs, files or other agents (T1). */
  readonly hasOwnTextOnly?: boolean;
  /** Texts of the input that people see later, such as names and titles. The operator's moderation checks them (R3). */
  shownTexts?(input: Input): readonly string[];
  /** Timeout of one run; 60 s by default. */
  readonly deadlineMs?: number;
  /** Absent: calls run without asking. */
  readonly approval?: ApprovalRule;
  /** The result is for the model. A throw becomes a failed result with the message of the error. */
  run(input: Input, context: ToolContext): Promise<string | ToolOutput>;
}

/** Tools whose list can change while the process runs, because other programs offer them. */
export interface ToolSource {
  /** The list never changes and is the same for every permit, so turns take it from here. */
  readonly always?: OfferedTools;
  /** Resolves in bounded time and never rejects. While nothing changes, the list is the same object. */
  offer(permit: Permit): Promise<OfferedTools>;
}

export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** One line for the model about each program that cannot be reached. */
  readonly unavailable: readonly string[];
}
