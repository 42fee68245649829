import { z } from "zod";
import { InboundTaskAddress } from "./addresses.ts";

/** The reaction that an agent expects from the agent that it sends a message to (A4). */
export const PeerMode = z.enum(["notify", "task_delegate", "consult"]);
export type PeerMode = z.infer<typeof PeerMode>;

/** A message of a task. */
export const TaskMessage = z.looseObject({
  id: z.string(),
  from: z.enum(["caller", "agent"]),
  text: z.string(),
  /** The caller's message in the protocol's form, which the caller can read back. */
  wire: z.record(z.string(), z.unknown()).optional(),
});
export type TaskMessage = z.infer<typeof TaskMessage>;

/** A caller's webhook. Its secrets are encrypted; only the gateway that calls it decrypts them. */
export const Webhook = z.looseObject({
  id: z.string(),
  url: z.string(),
  token: z.string().optional(),
  authentication: z.looseObject({ scheme: z.string(), credentials: z.string() }).optional(),
  /** Protocol version of the request that registered it. */
  version: z.string(),
  /** Disabled after too many failed attempts. */
  isOff: z.boolean().optional(),
});
export type Webhook = z.infer<typeof Webhook>;

const MAX_PAIRS = 50;
const Short = z.string().max(500);

/** Our extension of the A2A protocol. Untrusted input: a forged extension can only make a chain shorter. */
export const ReplyOriginExtension = z.looseObject({
  /** Number of hops so far, by pair of agents. */
  hops: z
    .record(Short, z.int().nonnegative().max(1_000))
    .refine((hops) => Object.keys(hops).length <= MAX_PAIRS, `has more than ${MAX_PAIRS} pairs`),
  /** The sender's name for the receiving agent, also in the pairs. */
  to: Short.optional(),
  /** The message that started the chain. */
  rootCorrelationId: Short,
  /** Where the chain started, as text for people. */
  origin: z.looseObject({ channel: Short, promptSummary: Short, startedAt: z.iso.datetime() }).optional(),
  msgType: PeerMode.optional().catch(undefined),
});
export type ReplyOriginExtension = z.infer<typeof ReplyOriginExtension>;

/** A message of a calling agent. It travels complete, so that core can create the task if the gateway crashes. */
export const InboundCall = InboundTaskAddress.extend({
  contextId: z.string(),
  /** The caller named no context, so the gateway created this one; it has no other task yet. */
  isNewContext: z.literal(true).optional(),
  /** The caller waits for the answer, so the gateway delays storing the task: the answer may come first. */
  isAwaited: z.literal(true).optional(),
  skill: z.looseObject({ id: z.string(), name: z.string() }).optional(),
  said: TaskMessage,
  webhook: Webhook.optional(),
  sentAt: z.iso.datetime(),
  extension: ReplyOriginExtension.optional(),
  /** Trace of the caller, which the work joins. */
  trace: z.string().optional(),
});
export type InboundCall = z.infer<typeof InboundCall>;
