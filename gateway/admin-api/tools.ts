import { z } from "zod";
import { AgentPageQuery, oneOf, type Page, unchecked } from "./shapes.ts";

/** A tool call that waits, or waited, for a person. It has no arguments and no words of people. */
export const Approval = z.object({
  id: z.string(),
  agent: unchecked<string>(),
  tenant: unchecked<string>(),
  tool: z.string(),
  state: oneOf<"pending" | "approved" | "denied" | "expired" | "withdrawn" | "running" | "ended">(),
  /** Of an approved call that has ended. */
  outcome: oneOf<"done" | "failed" | "interrupted" | "refused">().optional(),
  isDestructive: unchecked<boolean>(),
  /** The channel that shows the request. */
  channel: unchecked<string>(),
  asker: unchecked<string>(),
  decidedBy: unchecked<string>().optional(),
  createdAt: z.string(),
  expiresAt: unchecked<string>(),
  decidedAt: unchecked<string>().optional(),
  endedAt: unchecked<string>().optional(),
  traceId: unchecked<string>(),
  turnId: unchecked<string>(),
});
export type Approval = z.infer<typeof Approval>;

/** A tool call that has ended. It has no arguments, no result and no words of people. */
interface ToolCall {
  readonly id: string;
  readonly tenant: string;
  readonly agent: string;
  readonly tool: string;
  /** The MCP server of the tool. */
  readonly server?: string;
  /** `invalid`: wrong arguments, or no such tool. `refused`: by rights or moderation. `interrupted`: by a crash. */
  readonly outcome: "done" | "failed" | "timeout" | "cancelled" | "refused" | "invalid" | "interrupted";
  /** Absent if the call did not run. */
  readonly durationMs?: number;
  readonly endedAt: string;
  readonly personId: string;
  readonly turnId: string;
  readonly traceId: string;
}

/** An MCP server of an agent. */
interface ToolServer {
  readonly agent: string;
  readonly tenant: string;
  readonly server: string;
  /** The program, or the address. */
  readonly where: string;
  /** `needed`: an operator must sign in before the agent can use it. */
  readonly signIn: "none" | "needed" | "done";
  readonly signedInAt?: string;
}

const Text = z.string().min(1).max(8_000);

export const toolRequests = {
  "GET approvals": AgentPageQuery.extend({ status: z.enum(["open", "all"]).default("open") }),
  "GET tool-calls": AgentPageQuery.extend({
    /** `problems`: all but `done`. */
    outcome: z.enum(["problems", "all"]).default("all"),
    tool: z.string().max(200).optional(),
    person: z.string().max(500).optional(),
  }),
  /** The parameters that the authorization server added to the redirect address. */
  "POST tool-servers/sign-in": z.object({
    state: Text,
    code: Text.optional(),
    iss: Text.optional(),
    error: Text.optional(),
  }),
};

export interface ToolAnswers {
  "GET approvals": Page<Approval>;
  "GET tool-calls": Page<ToolCall>;
  "GET tool-servers": { readonly items: readonly ToolServer[] };
  "POST tool-servers/:agent/:server/sign-in": { readonly url: string; readonly expiresAt: string };
  "POST tool-servers/:agent/:server/sign-out": ToolServer;
  "POST tool-servers/sign-in": ToolServer;
}
