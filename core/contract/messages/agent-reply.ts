import { z } from "zod";
import { FileRef } from "../file-ref.ts";
import { Conversation } from "./conversation.ts";
import { Asker, Audience, ReplyOrigin } from "./work-context.ts";

/** The reason for an unsolicited reply; the `why` command explains it (O13). */
export const ReplyCause = z.looseObject({
  /** The turn that produced the reply, and the first turn of the work. */
  turnId: z.string(),
  rootTurnId: z.string(),
  asker: Asker,
  /** The trigger of the turn: "synthesis", "amendment", "wake-up", "task". Open: other kinds of work have other triggers. */
  trigger: z.string(),
  /** The reported work. The kind is open: "subtask", or a schedule, or a call of another agent. */
  steps: z.array(z.looseObject({ kind: z.string(), id: z.string(), name: z.string() })),
});
export type ReplyCause = z.infer<typeof ReplyCause>;

/** A choice offered with a message; a channel shows it as a button where it can. */
export const ReplyAction = z.looseObject({
  name: z.string().min(1),
  label: z.string(),
  value: z.string().optional(),
});
export type ReplyAction = z.infer<typeof ReplyAction>;

/** A message of the agent to people, as neutral data that each channel renders in its own form. */
export const AgentReply = z.looseObject({
  /** Deterministic: a retried step publishes the same id. */
  id: z.string().min(1),
  tenant: z.string().min(1),
  agent: z.string().min(1),
  sessionId: z.string().nullable(),
  kind: z.enum(["final", "progress", "completion", "notice"]),
  markdown: z.string(),
  /** "nothing" ends a wait without a bubble; "failed" marks an explained failure. */
  outcome: z.enum(["answered", "nothing", "failed", "cancelled"]).optional(),
  actions: z.array(ReplyAction).optional(),
  /** Files that people get with the reply: references, because the bus carries no contents. */
  files: z.array(FileRef).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  /** The id of the user message that the reply answers. Absent: unsolicited. */
  correlationId: z.string().optional(),
  /** The platform's id of that message, if the channel reports it. */
  answers: z.string().optional(),
  /** Null only for kind "notice". */
  origin: ReplyOrigin.nullable(),
  /** Present for an unsolicited final. */
  cause: ReplyCause.optional(),
  audience: Audience,
  /** The only account that may see the reply in a shared conversation: the answer to a private command (I3). */
  onlyFor: z.string().min(1).optional(),
  /** An earlier copy may be older than the duplicate window of the bus, so a relay looks for one. */
  mayRepeat: z.boolean().optional(),
  /** Conversations that rejected the reply; it goes to the next one that policy and audience allow. */
  refusedIn: z.array(Conversation).optional(),
  createdAt: z.iso.datetime(),
  traceId: z.string().min(1),
});
export type AgentReply = z.infer<typeof AgentReply>;

/** An origin in the form that a channel shows. A delivery has one exactly if the channel must show it. */
export const Anchor = z.looseObject({
  summary: z.string(),
  /** The name of the origin channel, "scheduled" or "a2a-inbound". */
  channel: z.string(),
  startedAt: z.iso.datetime(),
  link: z.string().optional(),
  /** The text form, for channels without a richer one. */
  text: z.string(),
  /** The elapsed time when it was sent, for platforms without live times; absent in data of 0.1.0. */
  ago: z.string().optional(),
  /** A reminder only: where and when a person asked for it. */
  asked: z.looseObject({ channel: z.string(), at: z.iso.datetime(), ago: z.string() }).optional(),
  /** The language of its words; absent: English. */
  language: z.string().optional(),
});
export type Anchor = z.infer<typeof Anchor>;

export const ActivityState = z.enum(["pending", "running", "completed", "failed", "cancelled"]);
export type ActivityState = z.infer<typeof ActivityState>;

/** One piece of delegated work in the form that people see. */
export const ActivityItem = z.looseObject({
  /** The id that the `cancel` command takes. */
  id: z.string().min(1),
  name: z.string(),
  state: ActivityState,
  startedAt: z.iso.datetime().optional(),
  endedAt: z.iso.datetime().optional(),
  /** The item's latest progress line. */
  note: z.string().optional(),
  result: z.string().optional(),
  /** The changes in the item's workspace: "3 files changed, +45 −12". */
  changes: z.string().optional(),
});
export type ActivityItem = z.infer<typeof ActivityItem>;

/** The work that one turn has delegated: one entry in the origin conversation, edited in place (B1). */
export const Activity = z.looseObject({
  /** All states of the entry have the same id. */
  id: z.string().min(1),
  /** Increases with each state; a lower revision never replaces a higher one. */
  revision: z.int().nonnegative(),
  title: z.string(),
  items: z.array(ActivityItem),
});
export type Activity = z.infer<typeof Activity>;

/** The key of the activity in a reply's `data`. */
export const ACTIVITY = "activity";

/** The state of the activity entry, if the reply is one. */
export const activityOf = ({ kind, data }: Pick<AgentReply, "kind" | "data">): Activity | undefined =>
  kind === "progress" || kind === "completion" ? Activity.safeParse(data?.[ACTIVITY]).data : undefined;
