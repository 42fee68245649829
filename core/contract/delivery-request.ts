import { z } from "zod";
import { AgentReply } from "./agent-reply.ts";
import { Conversation } from "./conversation.ts";

/** One reply for one target conversation: what waits, in order, for the gateway that may send there. */
export const DeliveryRequest = z.looseObject({
  /** `<reply>/<target>` */
  id: z.string().min(1),
  reply: AgentReply,
  target: Conversation,
  /** Quiet hours: not before this moment (milliseconds since 1970). */
  holdUntil: z.number().optional(),
  /** A person has asked for it: it neither waits nor goes into a digest. */
  byHand: z.boolean().optional(),
  /** Brings nothing itself: what is kept back for the conversation is due. */
  digestDue: z.boolean().optional(),
  /** Brings only how its reply begins, which is still being written. */
  begins: z.boolean().optional(),
});
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;

/** It is time to look at what is kept back for a conversation. */
export const DigestDue = z.looseObject({
  target: Conversation,
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Which of the conversation's wake-ups it is. */
  number: z.int(),
});
export type DigestDue = z.infer<typeof DigestDue>;
