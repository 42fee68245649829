import { z } from "zod";

/** Names one agent of a deployment; the first two parts of most subjects and keys. */
export type AgentRef = { readonly tenant: string; readonly agent: string };

/** Locates the record of one message to another agent, under the agent that sent it. */
export const PeerCallAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type PeerCallAddress = z.infer<typeof PeerCallAddress>;

/** The channel of work that another agent began. It has no people, so nothing of it is delivered to a conversation. */
export const INBOUND_CHANNEL = "a2a-inbound";

/** Locates the task of a calling agent. The caller is part of the key, so a caller cannot name another caller's task. */
export const InboundTaskAddress = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  caller: z.string(),
  id: z.string(),
});
export type InboundTaskAddress = z.infer<typeof InboundTaskAddress>;

/** The calling agent that owns a list of tasks. */
export type InboundTaskOwner = AgentRef & Pick<InboundTaskAddress, "caller">;

/** One webhook of a task is due to receive a status change. */
export const PushDue = InboundTaskAddress.extend({
  webhook: z.string(),
  /** The number of the status change. */
  change: z.int(),
});
export type PushDue = z.infer<typeof PushDue>;

/** Notices of an agent are due. The handler retries until their conversation is idle. */
export const NoticesDue = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  /** The skill or the caller whose place they go to; absent: the agent's home. */
  place: z.string().optional(),
});
export type NoticesDue = z.infer<typeof NoticesDue>;

/** Locates a schedule. The account that created it is part of the key, so a person's schedules are found by account. */
export const ScheduleAddress = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  /** The account's channel and id, or a mark for schedules that the configuration declares. */
  owner: z.string(),
  id: z.string(),
});
export type ScheduleAddress = z.infer<typeof ScheduleAddress>;

/** A run of a schedule is due. */
export const ScheduleDue = ScheduleAddress.extend({
  dueAt: z.iso.datetime(),
  /** Present for a run that a person requested outside the plan: the id of the request. */
  byHand: z.string().optional(),
});
export type ScheduleDue = z.infer<typeof ScheduleDue>;

/** Locates a subtask. */
export const SubtaskAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type SubtaskAddress = z.infer<typeof SubtaskAddress>;

/** Locates the request to approve a tool call. */
export const ApprovalAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type ApprovalAddress = z.infer<typeof ApprovalAddress>;

/** Locates the task that an agent elsewhere works on. `id`: the turn that it began with. */
export const AgentTaskAddress = z.looseObject({ tenant: z.string(), agent: z.string(), id: z.string() });
export type AgentTaskAddress = z.infer<typeof AgentTaskAddress>;

/** A deadline of a batch: the handler retries the message until it has passed. */
export const BatchTimer = z.looseObject({
  tenant: z.string(),
  agent: z.string(),
  ownerId: z.string(),
  turnId: z.string(),
});
export type BatchTimer = z.infer<typeof BatchTimer>;
