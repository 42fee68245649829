import { z } from "zod";
import { FileRef } from "../file-ref.ts";
import { InboundCall, PeerMode } from "./inbound-call.ts";
import { Asker, Audience, OwnerContext, PeerChain, ReplyOrigin } from "./work-context.ts";

/** A run of a schedule; its tenant and agent are those of the message. */
export const ScheduleRunRef = z.object({ owner: z.string(), id: z.string(), run: z.string() });
export type ScheduleRunRef = z.infer<typeof ScheduleRunRef>;

/** New work: the run of a schedule or the call of another agent. An invalid field counts as absent. */
const TaskPayload = z.object({
  schedule: ScheduleRunRef.optional().catch(undefined),
  a2a: InboundCall.optional().catch(undefined),
  /** Addresses in the text that the asker wrote. */
  urls: z.array(z.string()).optional().catch(undefined),
});

/** The subtasks that a turn reports on. `timedOut`: it had not ended when the batch fired. */
const ResultsPayload = z.object({
  subtasks: z.array(z.object({ id: z.string(), name: z.string(), timedOut: z.boolean() })),
  /** The turn that delegated the work, if its own answer is not shown: its files come with the results (B6). */
  turn: z.string().optional(),
});

/** A message of one subtask to its owner (S6). `subtask` is its id. */
const WakeUpPayload = z.object({
  type: z.string(),
  priority: z.string().optional(),
  subtask: z.string(),
  name: z.string(),
  content: z.string(),
});

const PeerPayload = z.object({ mode: PeerMode });

/** The call that was answered; with `round`, a question of the other agent. `name` is the headline for people. */
const CallbackPayload = z.object({
  call: z.string(),
  peer: z.string(),
  name: z.string(),
  round: z.int().optional(),
});

/** An update of another agent that arrived after the asking work had ended (L3). */
export const LateAnswer = z.object({
  /** The id of the call, and its headline for people. */
  id: z.string(),
  name: z.string(),
  kind: z.enum(["result", "error", "input-required"]),
  /** Key in the session's working memory. */
  key: z.string(),
  /** False if the memory was full: then the text comes from the call's record, or from `words`. */
  isKept: z.boolean(),
  words: z.string().optional(),
  files: z.array(FileRef).optional(),
  peer: z.string(),
  /** The name of the subtask that asked; absent if the session itself asked. */
  subtask: z.string().optional(),
});
export type LateAnswer = z.infer<typeof LateAnswer>;

const LatePayload = z.object({ calls: z.array(LateAnswer) });

/** The call that a person approved or denied, or whose request expired. `name` is the tool. */
const ApprovalPayload = z.object({ approval: z.string(), name: z.string() });

/** The task at an agent elsewhere whose answer came after its turn had ended: the turn that it began with. */
const AgentAnswerPayload = z.object({ task: z.string() });

/** The work of the turn: a continuation inherits origin and audience (O2). */
const work = {
  sessionId: z.string(),
  /** The session starts with this message, so there is no history to read. */
  isFirst: z.literal(true).optional(),
  origin: ReplyOrigin,
  audience: Audience,
  asker: Asker,
  owner: OwnerContext,
  /** The first turn of the work; absent if this message begins it. */
  rootTurnId: z.string().optional(),
  /** No user is waiting, so the turn's own text is dropped if it has delegated work. */
  background: z.boolean(),
  /** Present if agents have passed the work to each other. */
  chain: PeerChain.optional(),
};

/** An invalid payload counts as absent: origin and audience can still be read, so the failure is reported there (B3). */
const ofType = <T extends string, P extends z.ZodType>(type: T, payload: P) =>
  z.object({ type: z.literal(type), ...work, data: payload.optional().catch(undefined) });

/**
 * Starts a background turn of a session. "task" begins new work. The others continue work: "synthesis" and "amendment"
 * bring results of subtasks, "wake-up" a message of one subtask, "peer" another agent's message, "callback" its answer or
 * question, "late" answers that came after the asking work had ended, "approval" the outcome of a call that waited for a
 * person, "agent-answer" the answer of an agent elsewhere that took longer than its turn.
 */
export const Synthetic = z.discriminatedUnion("type", [
  z.object({ type: z.literal("task"), ...work, data: TaskPayload.catch({}) }),
  ofType("synthesis", ResultsPayload),
  ofType("amendment", ResultsPayload),
  ofType("wake-up", WakeUpPayload),
  ofType("peer", PeerPayload),
  ofType("callback", CallbackPayload),
  ofType("late", LatePayload),
  ofType("approval", ApprovalPayload),
  ofType("agent-answer", AgentAnswerPayload),
]);
export type Synthetic = z.infer<typeof Synthetic>;

export type SyntheticType = Synthetic["type"];
export type SyntheticOf<T extends SyntheticType> = Extract<Synthetic, { type: T }>;
export type PayloadOf<T extends SyntheticType> = NonNullable<SyntheticOf<T>["data"]>;

/** The message that brings the answer of an agent elsewhere; derived, so that a repeat is a duplicate. */
export const agentAnswerIdOf = (turnId: string): string => `agent-answer/${turnId}`;

/** A type with its payload. */
export type SyntheticContent = {
  [T in SyntheticType]: { readonly type: T; readonly data: PayloadOf<T> };
}[SyntheticType];
