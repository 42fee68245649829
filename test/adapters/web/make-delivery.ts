import type { Delivery } from "../../../adapters/contract/channel-adapter.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { conversationKey } from "../../../core/contract/messages/conversation.ts";

/** A reply for one visitor, as the relay delivers it. */
export const makeDelivery = (
  visitor: string,
  id: string,
  changes: Partial<Omit<Delivery, "reply">> & { reply?: Partial<AgentReply> } = {},
): Delivery => {
  const target = { channel: "web", room: visitor, kind: "private" as const };
  const reply: AgentReply = {
    id,
    tenant: "default",
    agent: "mooring",
    sessionId: "s1",
    kind: "final",
    markdown: `text of ${id}`,
    origin: { channel: "web", promptSummary: "ask", startedAt: "2026-11-15T12:00:00.000Z", sessionId: "s1" },
    audience: { conversation: target, personId: null },
    createdAt: "2026-11-15T12:00:00.000Z",
    traceId: "t1",
    ...changes.reply,
  };
  return {
    id: `${id}/${conversationKey(target)}/0`,
    target,
    part: { index: 0, count: 1, markdown: reply.markdown },
    anchor: null,
    mayRepeat: false,
    ...changes,
    reply,
  };
};
