import type { Capabilities, Delivery } from "../../adapters/contract/channel-adapter.ts";
import { escapeAnchors } from "../../adapters/contract/markdown/escape-anchors.ts";
import { splitMarkdown } from "../../adapters/contract/markdown/split-markdown.ts";
import type { AgentReply } from "../../core/contract/agent-reply.ts";
import type { Anchor } from "../../core/contract/anchor.ts";
import type { DeliveryRequest } from "../../core/contract/delivery-request.ts";

/** What a channel is handed for one reply and one target, in order. The anchor goes with the last part; no text can be taken for one (O16). */
export const deliveryParts = (
  { id, reply, target, byHand }: DeliveryRequest,
  { maxPartLength, measure }: Capabilities,
  anchor: Anchor | null,
): Delivery[] => {
  const shown = anchor === null ? reply : withWhy(reply);
  const texts = splitMarkdown(reply.markdown, maxPartLength, measure);
  return texts.map((markdown, index) => ({
    id: `${id}/${index}`,
    reply: shown,
    target,
    part: { index, count: texts.length, markdown: escapeAnchors(markdown) },
    anchor: index === texts.length - 1 ? anchor : null,
    ...(byHand && { byHand }),
    mayRepeat: false,
  }));
};

/** Whoever wonders where it comes from can ask (O13). */
const withWhy = (reply: AgentReply): AgentReply =>
  reply.kind === "final"
    ? { ...reply, actions: [...(reply.actions ?? []), { name: "why", label: "Why?", value: reply.id }] }
    : reply;
