import type { Delivery, Receipt } from "../../adapters/contract/channel-adapter.ts";
import { DeliveryFailed } from "../../adapters/contract/delivery-failed.ts";
import type { AgentReply } from "../../core/contract/messages/agent-reply.ts";
import type { SpanRecord } from "../../core/contract/ports/telemetry.ts";
import { replySpanId, rootSpanId } from "../../core/telemetry/index.ts";

/** The span of one attempt to deliver a part of a reply to a platform. */
export const deliverySpan = (
  { reply, target, part }: Delivery,
  sent: Receipt | DeliveryFailed,
  time: Pick<SpanRecord, "startedAt" | "endedAt">,
): SpanRecord => ({
  traceId: reply.traceId,
  parentId: parentOf(reply),
  name: `send ${target.channel}`,
  kind: "producer",
  ...time,
  attributes: {
    "messaging.system": target.channel,
    "messaging.operation.name": "send",
    "messaging.operation.type": "send",
    "messaging.destination.name": target.channel,
    "messaging.message.id": sent instanceof DeliveryFailed ? undefined : sent.messageId,
    "messaging.message.conversation_id": reply.correlationId,
    "mooring.reply.id": reply.id,
    "mooring.reply.kind": reply.kind,
    "mooring.part": part.index,
  },
  error: sent instanceof DeliveryFailed ? sent.reason : undefined,
});

/** Digests and activity states have ids that were never published, so no publish span exists for them. */
const parentOf = ({ id, kind, traceId }: AgentReply): string =>
  kind === "progress" || kind === "completion" || id.startsWith("digest/") ? rootSpanId(traceId) : replySpanId(id);
