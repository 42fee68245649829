import { z } from "zod";
import { AgentReply } from "./agent-reply.ts";
import { Conversation } from "./conversation.ts";

/** One reply for one target conversation: what waits, in order, for the gateway that may send there. */
export const DeliveryRequest = z.looseObject({
  /** `<reply>/<target>` */
  id: z.string().min(1),
  reply: AgentReply,
  target: Conversation,
});
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;
