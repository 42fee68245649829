import { z } from "zod";
import { isEditingAdapter } from "../../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import type { OutgoingReply } from "../../../core/contract/messages/delivery-request.ts";
import { isReplaceable, replacementIn } from "../../../core/contract/messages/replacement.ts";
import { RETENTION_MS } from "../../../core/contract/ports/bus.ts";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import type { RelayContext } from "../context.ts";
import { callEdit } from "./call-adapter.ts";
import { countPart, partsOf } from "./delivery-parts.ts";
import { isRetryable } from "./outcomes.ts";

/** The platform's ids of a message that a later reply replaces, part by part. */
const posts = collection("replaceable-posts", z.looseObject({ messageIds: z.array(z.string()) }), {
  ttlMs: RETENTION_MS,
});

const postsKey = (replyId: string, target: OutgoingReply["target"]) => keyOf(posts, replyId, conversationKey(target));

/** Records the posts of a message that is replaced later. Idempotent. */
export const recordReplaceable = async (
  { store }: RelayContext,
  { reply, target }: OutgoingReply,
  messageIds: readonly string[],
): Promise<void> => {
  if (isReplaceable(reply)) await store.put(postsKey(reply.id, target), { messageIds: [...messageIds] });
};

/**
 * Edits the last part of an earlier message, which has its buttons. "post": the platform cannot edit it, or the text needs
 * one more part, so the reply is posted as a message of its own. A failure is worth a retry.
 */
export const replacePosted = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  request: OutgoingReply,
): Promise<"replaced" | "post" | DeliveryFailed> => {
  const { reply, target } = request;
  const replacement = replacementIn(reply);
  if (replacement === undefined || !isEditingAdapter(adapter)) return "post";
  const { messageIds = [] } = (await context.store.get(postsKey(replacement.replyId, target)))?.value ?? {};
  const messageId = messageIds.at(-1);
  if (messageId === undefined) return "post";
  const parts = await partsOf(context, adapter, { ...request, reply: { ...reply, markdown: replacement.markdown } });
  const part = parts[Math.min(messageIds.length, parts.length) - 1];
  if (part === undefined) return "post";
  const edited = await callEdit(context, adapter, messageId, { ...part, id: `${part.id}/edit`, mayRepeat: true });
  await context.checkpoint("reply.replaced");
  if (edited instanceof DeliveryFailed) return isRetryable(edited) ? edited : "post";
  countPart(context, adapter.channel, { accepted: "now", messageId: edited.messageId });
  return parts.length === messageIds.length ? "replaced" : "post";
};
