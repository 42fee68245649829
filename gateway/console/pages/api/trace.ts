import type { Asker, Conversation, Delivery, Origin, Subtask } from "./admin-api.ts";

export interface TraceStep {
  readonly step: number;
  readonly calls: readonly { readonly name: string; readonly state: "running" | "done" | "failed" }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface TurnSummary {
  readonly turnId: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly trigger: string;
  readonly command?: string;
  readonly openedAt: string;
  readonly endedAt?: string;
  readonly outcome?: "answered" | "nothing" | "failed" | "cancelled";
  readonly suppressed?: true;
  readonly degraded?: true;
  readonly summary: string;
}

export interface TraceTurn extends TurnSummary {
  readonly agent: string;
  readonly steps: readonly TraceStep[];
  readonly subtasks: readonly string[];
  readonly reply?: { readonly replyId: string; readonly deliveries: readonly Delivery[] };
}

export interface TraceSubtask extends Subtask {
  readonly turnId: string;
  readonly steps: readonly TraceStep[];
}

/** A message to another agent. */
export interface TraceHop {
  readonly id: string;
  readonly turnId: string;
  /** Of whose it is, if no turn itself sent it. */
  readonly subtask?: string;
  readonly agent: string;
  readonly peer: string;
  readonly isRemote: boolean;
  readonly mode: "notify" | "task_delegate" | "consult";
  readonly headline: string;
  readonly state: "open" | "answered" | "failed";
  readonly error?: string;
  readonly createdAt: string;
  readonly endedAt?: string;
}

/** Everything that came of one message. */
export interface Trace {
  readonly traceId: string;
  readonly agent: string;
  readonly tenant: string;
  readonly origin: Origin;
  readonly asker: Asker;
  readonly conversation: Conversation;
  readonly state: "running" | "ended";
  readonly turns: readonly TraceTurn[];
  readonly subtasks: readonly TraceSubtask[];
  readonly hops: readonly TraceHop[];
}
