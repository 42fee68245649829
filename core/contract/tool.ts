import type { z } from "zod";
import type { Audience } from "./agent-reply.ts";
import type { DelegationContext } from "./delegation-context.ts";
import type { Asker } from "./owner-context.ts";
import type { ReplyOrigin } from "./reply-origin.ts";

/** For whom, and on whose behalf, a tool runs. */
export interface ToolContext {
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly origin: ReplyOrigin;
  readonly audience: Audience;
  readonly asker: Asker;
  readonly standing: DelegationContext;
  /** The names of all tools that this turn may use. */
  readonly tools: readonly string[];
  readonly traceId: string;
  /** The same when the call is run again after a crash. */
  readonly idempotencyKey: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

export interface Tool<Input = unknown> {
  /** Letters, digits, "_" and "-"; at most 64. */
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Its description and its input depend on settings: they are looked at anew for every step. */
  readonly varies?: boolean;
  /** Shown to the model as a schema, but checked by the tool itself, which is more forgiving. */
  readonly checksInput?: boolean;
  /** Running it again with the same idempotency key does no harm. */
  readonly repeatable: boolean;
  /** A run of it that does not fail is the turn's last step. */
  readonly endsTurn?: boolean;
  /** It does something for a person: turns for another agent do not have it. */
  readonly isForPeople?: boolean;
  /** How long one run may take; 60 s by default. */
  readonly deadlineMs?: number;
  /** What the model reads. A throw becomes a failed result with the error's message. */
  run(input: Input, context: ToolContext): Promise<string>;
}
