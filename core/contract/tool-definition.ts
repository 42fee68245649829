import type { z } from "zod";

/** The version of the tool contract. A tool of another version is refused when its module is loaded. */
export const TOOL_CONTRACT = 1;

/** The call that a tool serves. */
export interface ToolCall {
  /** Aborted when the result is no longer needed: the turn was stopped, or `timeoutMs` has passed. */
  readonly signal: AbortSignal;
  /** The same for each run of one call, so a service that deduplicates by key runs it once even after a crash. */
  readonly idempotencyKey: string;
  /** The name of the agent that calls the tool. */
  readonly agent: string;
  readonly tenant: string;
  /** Where the work began. `kind` is "private" if exactly one human is in the conversation. */
  readonly conversation: { readonly channel: string; readonly kind: "private" | "shared" };
  /** Shows people a short line about work in progress. It never fails. */
  progress(text: string): void;
}

/** A file that a tool gives to people. */
export interface ToolFile {
  readonly name: string;
  /** Such as "image/png". */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A result with more than text. */
export interface ToolOutput {
  /** For the model. */
  readonly text?: string;
  /** For the model, as JSON. */
  readonly structured?: unknown;
  /** For people. The model gets their names and types. */
  readonly files?: readonly ToolFile[];
}

/** A tool that an agent can call. Make one with `defineTool`. */
export interface ToolDefinition<I = unknown> {
  readonly contract: typeof TOOL_CONTRACT;
  /** Letters, digits, "_" and "-"; at most 64. */
  readonly name: string;
  /** Tells the model what the tool does and when to call it. */
  readonly description: string;
  /** The arguments. A call with other arguments is refused, and the model learns why. */
  readonly input: z.ZodType<I>;
  /** "ask": a person approves each call before it runs. "never": no approval, also if the tool is destructive. */
  readonly approval?: "ask" | "never";
  /** Changes or deletes something that cannot be restored. Asks for approval unless `approval` is "never". */
  readonly destructive?: boolean;
  /** Safe to run again with the same idempotency key. Otherwise a call that a crash interrupted is not repeated. */
  readonly repeatable?: boolean;
  /** Time limit of one run; 60 s by default. */
  readonly timeoutMs?: number;
  /** The result is for the model. A throw becomes a failed result with the message of the error. */
  run(input: I, context: ToolCall): Promise<string | ToolOutput>;
}

/** Defines a tool and infers the type of its input. */
export const defineTool = <I>(tool: Omit<ToolDefinition<I>, "contract">): ToolDefinition<I> => ({
  ...tool,
  contract: TOOL_CONTRACT,
});

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const FLAGS = ["destructive", "repeatable"] as const;

/** The reasons why a value that a module exports is not a tool of this contract. Empty: it is one. */
export const toolProblems = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return ["is not a tool: export the result of defineTool({ … })"];
  const tool = value as { readonly [Field in keyof ToolDefinition]?: unknown };
  if (tool.contract === undefined) return ['has no "contract": export the result of defineTool({ … })'];
  if (tool.contract !== TOOL_CONTRACT) {
    const version = JSON.stringify(tool.contract);
    return [`was made for version ${version} of the tool contract; this release has version ${TOOL_CONTRACT}`];
  }
  const problems: string[] = [];
  const check = (ok: boolean, problem: string) => {
    if (!ok) problems.push(problem);
  };
  const { name, description, input, approval, timeoutMs } = tool;
  check(
    typeof name === "string" && NAME.test(name),
    '"name" must have 1 to 64 letters, digits, "_" or "-", and nothing else',
  );
  check(typeof description === "string" && description.trim() !== "", '"description" must be a text');
  check(isSchema(input), '"input" must be a schema of zod 4');
  check(approval === undefined || approval === "ask" || approval === "never", '"approval" must be "ask" or "never"');
  for (const flag of FLAGS)
    check(tool[flag] === undefined || typeof tool[flag] === "boolean", `"${flag}" must be true or false`);
  check(
    timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0),
    '"timeoutMs" must be a positive number of milliseconds',
  );
  check(typeof tool.run === "function", '"run" must be a function');
  return problems;
};

/** By shape, because a module may bring its own copy of zod. Every schema of zod 4 has `_zod`. */
const isSchema = (value: unknown): boolean => typeof value === "object" && value !== null && "_zod" in value;
