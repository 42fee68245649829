import { z } from "zod";
import { Asker, ConversationAddress, Origin, oneOf, unchecked } from "./shapes.ts";
import { Subtask } from "./subtasks.ts";

/** One part of a reply in one conversation. */
const Delivery = z.object({
  conversation: ConversationAddress,
  part: z.int(),
  state: oneOf<
    "accepted" | "logged" | "published" | "claimed" | "begun" | "unknown" | "failed" | "withdrawn" | "given-up"
  >(),
  at: z.string().optional(),
  /** The platform's id. */
  messageId: z.string().optional(),
  reason: z.string().optional(),
  /** The ref of its dead letter. */
  ref: unchecked<string>().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** A model response that called tools. */
const Step = z.object({
  step: z.int(),
  calls: z
    .array(
      z.object({
        name: z.string(),
        state: oneOf<"running" | "done" | "failed">(),
        /** The state of the approval that the call needed. */
        approval: unchecked<string>().optional(),
        /** Absent while the call runs, and if it was refused. */
        durationMs: z.number().optional(),
      }),
    )
    .readonly(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** The label of the model that answered, if the agent has several. */
  model: z.string().optional(),
});

const Turn = z.object({
  turnId: z.string(),
  sessionId: unchecked<string>(),
  messageId: z.string(),
  trigger: z.string(),
  command: z.string().optional(),
  openedAt: z.string(),
  endedAt: z.string().optional(),
  outcome: oneOf<"answered" | "nothing" | "failed" | "cancelled">().optional(),
  /** The label of the model that wrote the answer, if the agent has several. */
  model: z.string().optional(),
  /** The turn's answer was withheld, because one answer for all results follows. */
  suppressed: unchecked<true>().optional(),
  /** The turn's results are shown unchanged, because no answer could be generated. */
  degraded: unchecked<true>().optional(),
  summary: unchecked<string>(),
});
/** A turn without its text. It has no `endedAt` and `outcome` while it runs. */
export type Turn = z.infer<typeof Turn>;

/** A message to another agent. */
const Hop = z.object({
  id: z.string(),
  turnId: z.string(),
  /** Set if a subtask sent it, not the turn itself. */
  subtask: z.string().optional(),
  agent: z.string(),
  peer: z.string(),
  isRemote: unchecked<boolean>(),
  mode: oneOf<"notify" | "task_delegate" | "consult">(),
  headline: unchecked<string>(),
  state: oneOf<"open" | "answered" | "failed">(),
  error: z.string().optional(),
  /** The id of the task at a remote agent. */
  remoteTask: z.string().optional(),
  createdAt: z.string(),
  endedAt: z.string().optional(),
});

/** All work that followed from one message. `mooring trace` validates a response with it. */
export const Trace = z.object({
  traceId: z.string(),
  agent: z.string(),
  tenant: unchecked<string>(),
  origin: Origin,
  asker: Asker,
  conversation: ConversationAddress,
  state: oneOf<"running" | "ended">(),
  turns: z
    .array(
      Turn.extend({
        agent: z.string(),
        steps: z.array(Step).readonly(),
        subtasks: z.array(z.string()).readonly(),
        reply: z.object({ replyId: z.string(), deliveries: z.array(Delivery).readonly() }).optional(),
      }),
    )
    .readonly(),
  subtasks: z.array(Subtask.extend({ turnId: z.string(), steps: z.array(Step).readonly() })).readonly(),
  hops: z.array(Hop).readonly(),
});
export type Trace = z.infer<typeof Trace>;

const TraceQuery = z.object({ agent: z.string().optional() });

export const traceRequests = {
  "GET traces/:id": TraceQuery,
  "GET traces/:id/events": TraceQuery,
  "GET replies/:replyId/deliveries": z.object({ agent: z.string() }),
};

export interface TraceAnswers {
  "GET traces/:id": Trace;
  /** Server-sent events; each has the whole trace. */
  "GET traces/:id/events": Trace;
  "GET replies/:replyId/deliveries": { readonly items: readonly Delivery[] };
}
