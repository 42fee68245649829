import type { ChannelAdapter } from "../../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";
import { type OutgoingReply, replyRequest } from "../../../core/contract/messages/delivery-request.ts";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import type { RelayContext } from "../context.ts";
import { privateConversation } from "./private-reply.ts";

/**
 * Sends a reply that a conversation refuses to the next one that policy and audience allow. False: there is none, and
 * `inbox` lists the reply. Idempotent. Rejects if the caller has to retry.
 */
export const reroute = async (
  context: RelayContext,
  adapter: ChannelAdapter,
  { id: refusedId, reply, target }: OutgoingReply,
  { reason, message }: DeliveryFailed,
): Promise<boolean> => {
  if (reason !== "forbidden" && reason !== "target-gone") return false;
  const subjects = subjectsOf(context.tenant);
  const way = await context.afterRefusal(reply, target);
  if (way === undefined) return false;
  if ("next" in way) {
    const id = `${reply.id}/refused/${conversationKey(target)}`;
    const key = conversationKey(reply.audience.conversation);
    await context.bus.publish(subjects.userResponse(context.agent), way.next, { id, key });
  } else {
    const found = await privateConversation(context, adapter, way.inPrivate);
    if (found instanceof DeliveryFailed) throw found;
    if (found === undefined) return false;
    const request = replyRequest({ ...reply, onlyFor: way.inPrivate }, found);
    const options = { id: request.id, key: conversationKey(found) };
    await context.bus.publish(subjects.delivery(adapter.channel), request, options);
  }
  await context.reportUndeliverable(reply, target, { reason: `${reason}: ${message}`, instead: "elsewhere" });
  const { channel } = adapter;
  context.logger.warn(
    { channel, delivery: refusedId, traceId: reply.traceId, reason, detail: message },
    "conversation refused a reply, rerouted",
  );
  return true;
};
