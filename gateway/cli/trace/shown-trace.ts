import { z } from "zod";

/** As much of the operators' API's trace as is printed. It comes over the wire, so it is looked at first. */
const Step = z.looseObject({
  step: z.int(),
  calls: z.array(z.looseObject({ name: z.string(), state: z.string() })),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type Step = z.infer<typeof Step>;

const Place = z.looseObject({
  channel: z.string(),
  workspace: z.string().optional(),
  room: z.string(),
  thread: z.string().optional(),
});
export type Place = z.infer<typeof Place>;

const Delivery = z.looseObject({
  conversation: Place,
  part: z.int(),
  state: z.string(),
  at: z.string().optional(),
  messageId: z.string().optional(),
  reason: z.string().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

const Turn = z.looseObject({
  turnId: z.string(),
  messageId: z.string(),
  agent: z.string().optional(),
  trigger: z.string(),
  command: z.string().optional(),
  openedAt: z.string(),
  endedAt: z.string().optional(),
  outcome: z.string().optional(),
  steps: z.array(Step),
  subtasks: z.array(z.string()),
  reply: z.looseObject({ replyId: z.string(), deliveries: z.array(Delivery) }).optional(),
});
export type Turn = z.infer<typeof Turn>;

const Subtask = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string(),
  result: z.string().optional(),
  parent: z.string().optional(),
  turnId: z.string(),
  createdAt: z.string(),
  completedAt: z.string().optional(),
  steps: z.array(Step),
});
export type Subtask = z.infer<typeof Subtask>;

const Hop = z.looseObject({
  id: z.string(),
  agent: z.string(),
  peer: z.string(),
  mode: z.string(),
  state: z.string(),
  turnId: z.string(),
  subtask: z.string().optional(),
  createdAt: z.string(),
  endedAt: z.string().optional(),
  remoteTask: z.string().optional(),
  error: z.string().optional(),
});
export type Hop = z.infer<typeof Hop>;

export const ShownTrace = z.looseObject({
  traceId: z.string(),
  agent: z.string(),
  state: z.string(),
  origin: z.looseObject({ promptSummary: z.string() }),
  asker: z.looseObject({ name: z.string() }),
  conversation: Place,
  turns: z.array(Turn),
  subtasks: z.array(Subtask),
  /** Messages to other agents. */
  hops: z.array(Hop),
});
export type ShownTrace = z.infer<typeof ShownTrace>;
