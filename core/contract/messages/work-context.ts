import { z } from "zod";
import { Conversation } from "./conversation.ts";

/** The start of a piece of work. Besides real channels, `channel` may be "scheduled" or "a2a-inbound". */
export const ReplyOrigin = z.looseObject({
  channel: z.string().min(1),
  promptSummary: z.string(),
  startedAt: z.iso.datetime(),
  sessionId: z.string().nullable(),
  taskId: z.string().optional(),
  link: z.string().optional(),
  /** The platform's id of the first message; an adapter may build a link from it where `link` is absent. */
  messageId: z.string().optional(),
  /** A person set this exact time, so quiet hours do not delay the answer (D2). */
  isReminder: z.boolean().optional(),
  /** A reminder only: where and when a person asked for it (O9). */
  asked: z.looseObject({ channel: z.string(), at: z.iso.datetime() }).optional(),
});
export type ReplyOrigin = z.infer<typeof ReplyOrigin>;

/** The accounts and conversations that may see the results of a piece of work. Continuations inherit it (O2). */
export const Audience = z.looseObject({
  conversation: Conversation,
  personId: z.string().nullable(),
  /** The asker's account, on the channel of the conversation; absent if no message of a person began the work. */
  accountId: z.string().optional(),
  /** The asking account, if the result goes to another account of the same person; both must still be theirs (D3). */
  askedBy: z.looseObject({ channel: z.string(), accountId: z.string() }).optional(),
  /** The version of the person's account list; absent: the person's other accounts never see the result (D3). */
  membership: z.number().int().nonnegative().optional(),
});
export type Audience = z.infer<typeof Audience>;

/**
 * A speaker that led to a piece of work: a person by channel and account, or another agent by its name (`id`). The
 * configuration itself, which starts configured schedules, counts as an operator.
 */
export const Cause = z.looseObject({
  speaker: z.enum(["anonymous", "member", "operator", "peer"]),
  channel: z.string().optional(),
  id: z.string().optional(),
});
export type Cause = z.infer<typeof Cause>;

/** The person on whose behalf the work is done. */
export const Asker = z.looseObject({
  personId: z.string(),
  accountId: z.string(),
  name: z.string(),
  locale: z.string().optional(),
  timeZone: z.string().optional(),
  /** All speakers that led to the work, which may do only what each of them may do (R1). 0.1.0 stored none. */
  causes: z.array(Cause).optional(),
});
export type Asker = z.infer<typeof Asker>;

/** A request of another agent, from this deployment or through the A2A protocol. */
export const WorksFor = z.looseObject({
  kind: z.enum(["peer-call", "a2a-task"]),
  tenant: z.string(),
  /** The agent that keeps the record: the caller of a call, the callee of a task. */
  agent: z.string(),
  id: z.string(),
});
export type WorksFor = z.infer<typeof WorksFor>;

/** The receiver of a subtask's messages (S2): a chat session, a schedule run or inbound task, or another subtask. */
export const OwnerContext = z.looseObject({
  ownerType: z.enum(["agent", "orchestrator", "worker"]),
  /** The id of a session; for a worker, the id of its subtask. */
  ownerId: z.string().min(1),
  /** The permalink of the conversation, on platforms that have permalinks. */
  sessionUri: z.string().optional(),
  /** Present if the session's answers go to another agent, never to people (A5). */
  worksFor: WorksFor.optional(),
});
export type OwnerContext = z.infer<typeof OwnerContext>;

/** Counts how often agents have passed one piece of work to each other (A4). It travels with the work, also over A2A. */
export const PeerChain = z.looseObject({
  /** The id of the first piece of work. */
  root: z.string(),
  /** The name that the sender of the latest hop uses for the receiver, if the receiver is remote. */
  to: z.string().optional(),
  /** Number of hops by pair of agents. */
  hops: z.record(z.string(), z.int().nonnegative()),
  /** Wall clock, milliseconds. */
  lastHopAt: z.number(),
});
export type PeerChain = z.infer<typeof PeerChain>;

/** The position of a turn in the tree of delegated work: the owner of its subtasks, its depth and its root. */
export const DelegationContext = z.looseObject({
  owner: OwnerContext,
  /** 0 for a session's own turn, n for a subtask of depth n. */
  depth: z.int().nonnegative(),
  /** The first turn of the work. Its continuations share its limits. */
  rootTurnId: z.string(),
  background: z.boolean(),
  /** Present in the turn of a subagent. */
  subtaskId: z.string().optional(),
  /** Present if agents have passed the work to each other. */
  chain: PeerChain.optional(),
});
export type DelegationContext = z.infer<typeof DelegationContext>;

/** Everything that a continuation inherits from the turn that it continues (O2). Records store it under these names. */
export const WorkContext = z.object({
  sessionId: z.string(),
  /** The stored name; code calls it the delegation context. */
  standing: DelegationContext,
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  traceId: z.string(),
});
export type WorkContext = z.infer<typeof WorkContext>;

/** The work context alone, of a turn, a tool context or a record that holds more. */
export const workContextOf = ({ sessionId, standing, origin, audience, asker, traceId }: WorkContext): WorkContext => ({
  sessionId,
  standing,
  origin,
  audience,
  asker,
  traceId,
});
