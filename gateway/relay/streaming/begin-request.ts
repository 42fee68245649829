import { isoTime } from "../../../core/contract/clock.ts";
import { conversationKey } from "../../../core/contract/conversation.ts";
import type { DeliveryRequest } from "../../../core/contract/delivery-request.ts";
import type { RelayContext } from "../relay-context.ts";
import type { Delta } from "./written-text.ts";

export type Written = Pick<Delta, "conversation" | "correlationId" | "accountId"> & { readonly replyId: string };

/** An answer that is still being written, as far as it is known: what its conversation's queue is told of it. */
export const beginRequest = (
  { tenant, agent, clock }: Pick<RelayContext, "tenant" | "agent" | "clock">,
  { replyId, conversation, correlationId, accountId }: Written,
  markdown: string,
): DeliveryRequest => ({
  id: `${replyId}/${conversationKey(conversation)}`,
  target: conversation,
  begins: true,
  reply: {
    id: replyId,
    tenant,
    agent,
    sessionId: null,
    kind: "progress",
    markdown,
    correlationId,
    origin: null,
    audience: { conversation, personId: null, ...(accountId !== undefined && { accountId }) },
    createdAt: isoTime(clock.now()),
    traceId: replyId,
  },
});
