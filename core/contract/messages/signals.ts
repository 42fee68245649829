import { z } from "zod";
import { Conversation } from "./conversation.ts";
import { Audience } from "./work-context.ts";

// The bus does not store signals and may lose them, so each one is only a hint: correctness never depends on it.

/** For screens: text while the model writes it, typing, and the number of a new log entry. */
export const UserSignal = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("delta"),
    conversation: Conversation,
    correlationId: z.string(),
    /** The platform's id of the message that the reply answers. */
    answers: z.string().optional(),
    /** The id of the final reply, and the account that waits for it. */
    replyId: z.string().optional(),
    accountId: z.string().optional(),
    /** Grows when a step is retried: readers discard text of an older attempt. */
    attempt: z.number().int(),
    offset: z.number().int(),
    text: z.string(),
  }),
  z.looseObject({
    type: z.literal("typing"),
    conversation: Conversation,
    /** The platform's id of the message that the agent works on; absent if no message is answered. */
    answers: z.string().optional(),
  }),
  z.looseObject({ type: z.literal("logged"), conversation: Conversation, seq: z.number().int() }),
]);
export type UserSignal = z.infer<typeof UserSignal>;

/** A turn that some process is running. */
export const RunningTurn = z.looseObject({
  turnId: z.string(),
  summary: z.string(),
  startedAt: z.iso.datetime(),
  audience: Audience,
});
export type RunningTurn = z.infer<typeof RunningTurn>;

/** Requests from every process the turns that it runs for these accounts or in a conversation. */
export const TurnsAsked = z.looseObject({
  ask: z.string(),
  accounts: z.array(z.object({ channel: z.string(), accountId: z.string() })),
  /** A conversation key. */
  conversation: z.string().optional(),
});
export type TurnsAsked = z.infer<typeof TurnsAsked>;

/** The answer of one process to `TurnsAsked`. */
export const TurnsReported = z.looseObject({ ask: z.string(), turns: z.array(RunningTurn) });
export type TurnsReported = z.infer<typeof TurnsReported>;

/** The process that runs one of these turns cancels it. */
export const TurnsStopped = z.looseObject({ turnIds: z.array(z.string()) });
export type TurnsStopped = z.infer<typeof TurnsStopped>;

/** The state of a channel has changed; gateways read it again. */
export const ChannelChanged = z.looseObject({ channel: z.string() });
export type ChannelChanged = z.infer<typeof ChannelChanged>;

/** An operator has blocked or unblocked an account; every process reads its record again. */
export const BlocksChanged = z.looseObject({ channel: z.string(), accountId: z.string() });
export type BlocksChanged = z.infer<typeof BlocksChanged>;

/** A piece of work has made progress; the console reads its trace again. */
export const TraceChanged = z.looseObject({ traceId: z.string() });
export type TraceChanged = z.infer<typeof TraceChanged>;

/** The number of messages of an agent that wait in one core process. */
export const IntakeLoad = z.looseObject({ process: z.string(), waiting: z.number().int().min(0) });
export type IntakeLoad = z.infer<typeof IntakeLoad>;

/** The use of rate limits that a gateway has admitted since its last signal, as the time in which it is refilled. */
export const RatesTaken = z.looseObject({
  /** The gateway, so that it ignores its own signal. */
  from: z.string(),
  taken: z.array(z.object({ rate: z.string(), key: z.string(), ms: z.number() })),
});
export type RatesTaken = z.infer<typeof RatesTaken>;

/** A file that a person has sent was fetched, or cannot be fetched; the turn that waits for it reads its record. */
export const FileReceived = z.looseObject({ id: z.string() });
export type FileReceived = z.infer<typeof FileReceived>;

/** The record of a subtask has changed; its runner, its owner and its observers read it again. */
export const SubtaskUpdate = z.looseObject({
  id: z.string(),
  traceId: z.string(),
  /** The runner stops: another process ended the subtask, or its deadline has passed. */
  isOver: z.boolean(),
});
export type SubtaskUpdate = z.infer<typeof SubtaskUpdate>;
