import { z } from "zod";
import { AgentReply, activityOf } from "./agent-reply.ts";
import { Conversation, conversationKey } from "./conversation.ts";

/** Loose, because dead letters and held requests are rewritten: fields of a newer version must survive. */
const common = {
  /** `<reply>/<target>` */
  id: z.string().min(1),
  reply: AgentReply,
  target: Conversation,
};

const Reply = z.looseObject({
  kind: z.literal("reply"),
  ...common,
  /** Quiet hours: not before this time (milliseconds since 1970). */
  holdUntil: z.number().optional(),
  /** A person requested it: it neither waits nor goes into a digest. */
  byHand: z.boolean().optional(),
});

/** The reply is a state of an activity entry. */
const Activity = z.looseObject({ kind: z.literal("activity"), ...common });

/** The held replies of the conversation are due; the reply of the request is empty. 0.1.0 reads `digestDue`. */
const Digest = z.looseObject({ kind: z.literal("digest"), ...common, digestDue: z.literal(true) });

/** The model is still writing the reply; `reply` has its beginning. 0.1.0 reads `begins`. */
const StreamStart = z.looseObject({ kind: z.literal("stream-start"), ...common, begins: z.literal(true) });

const AnyRequest = z.discriminatedUnion("kind", [Reply, Activity, Digest, StreamStart]);

/** Requests of 0.1.0 have no `kind`; it is derived from their fields and their reply. */
const withKind = (wire: unknown): unknown => {
  if (typeof wire !== "object" || wire === null || "kind" in wire) return wire;
  if ("digestDue" in wire && wire.digestDue === true) return { ...wire, kind: "digest" };
  if ("begins" in wire && wire.begins === true) return { ...wire, kind: "stream-start" };
  const reply = "reply" in wire ? AgentReply.safeParse(wire.reply).data : undefined;
  return { ...wire, kind: reply !== undefined && activityOf(reply) !== undefined ? "activity" : "reply" };
};

/** A request to the gateway that may send to a conversation; the requests of one conversation wait in order. */
export const DeliveryRequest = z.preprocess(withKind, AnyRequest);
export type DeliveryRequest = z.infer<typeof AnyRequest>;
export type RequestKind = DeliveryRequest["kind"];
export type RequestOf<K extends RequestKind> = Extract<DeliveryRequest, { kind: K }>;

/** One reply for one target conversation. */
export const ReplyRequest = z.preprocess(withKind, Reply);
export type ReplyRequest = z.infer<typeof Reply>;

/** A reply and the conversation that shows it. */
export interface OutgoingReply {
  readonly id: string;
  readonly reply: AgentReply;
  readonly target: Conversation;
}

/** A request for a reply in one target conversation. Deterministic: a duplicate has the same id. */
export const replyRequest = (reply: AgentReply, target: Conversation): ReplyRequest => ({
  kind: "reply",
  id: requestId(reply, target),
  reply,
  target,
});

export const activityRequest = (reply: AgentReply, target: Conversation): RequestOf<"activity"> => ({
  kind: "activity",
  id: requestId(reply, target),
  reply,
  target,
});

export const requestId = ({ id }: Pick<AgentReply, "id">, target: Conversation): string =>
  `${id}/${conversationKey(target)}`;

/** The held replies of a conversation are due. */
export const DigestDue = z.looseObject({
  target: Conversation,
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Counts the wake-ups of the conversation. */
  number: z.int(),
});
export type DigestDue = z.infer<typeof DigestDue>;
