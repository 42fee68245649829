import { AgentReply } from "../contract/agent-reply.ts";
import { deadLetterKey } from "../contract/dead-letter.ts";
import { DeliveryRequest } from "../contract/delivery-request.ts";
import type { Store } from "../contract/store.ts";
import type { Undelivered } from "./undelivered.ts";

/** The reply that was given up. A channel with a log of its own has no requests: there the reply itself is the letter. */
export const readLetter = async (
  store: Store,
  { durable, id }: Undelivered["letter"],
): Promise<AgentReply | undefined> => {
  const message = (await store.get(deadLetterKey(durable, id)))?.value.message;
  return DeliveryRequest.safeParse(message).data?.reply ?? AgentReply.safeParse(message).data;
};
