import type { Delivery } from "../../adapters/contract/channel-adapter.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";
import { conversationKey } from "../../core/contract/messages/conversation.ts";
import { sampleReply } from "./sample-reply.ts";

/** A delivery of a reply with one part. */
export const sampleDelivery = (
  replyId: string,
  target: Conversation,
  markdown: string,
  more: Partial<Delivery> = {},
): Delivery => ({
  id: `${replyId}/${conversationKey(target)}/0`,
  reply: sampleReply(replyId, target, markdown),
  target,
  part: { index: 0, count: 1, markdown },
  anchor: null,
  mayRepeat: false,
  ...more,
});
