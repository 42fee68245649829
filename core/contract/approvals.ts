import type { Tool, ToolContext } from "./tool.ts";

/** "run": an approval holds for the call. Otherwise the model gets the text: the call waits for a person, or is denied. */
export type ApprovalDecision =
  | { readonly run: true }
  | { readonly run: false; readonly text: string; readonly isDenied: boolean };

/** Asks people to approve calls of tools that need it (T4). Turns only know this port, because they cannot send messages. */
export interface Approvals {
  /** Idempotent for the idempotency key of the context. `input` has passed the tool's schema. */
  decide(tool: Tool, input: unknown, context: ToolContext): Promise<ApprovalDecision>;
}
