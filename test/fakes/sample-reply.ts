import type { AgentReply, Anchor } from "../../core/contract/messages/agent-reply.ts";
import type { Conversation } from "../../core/contract/messages/conversation.ts";

const AT = "2025-01-01T00:00:00.000Z";

/** A final, unsolicited answer for one conversation. */
export const sampleReply = (
  id: string,
  conversation: Conversation,
  markdown: string,
  more: Partial<AgentReply> = {},
): AgentReply => ({
  id,
  tenant: "default",
  agent: "mooring",
  sessionId: "s-1",
  kind: "final",
  markdown,
  origin: { channel: "elsewhere", promptSummary: "deep research", startedAt: AT, sessionId: "s-0" },
  audience: { conversation, personId: null },
  createdAt: AT,
  traceId: `trace-${id}`,
  ...more,
});

export const sampleAnchor: Anchor = {
  summary: "deep research",
  channel: "elsewhere",
  startedAt: AT,
  text: '↳ Re: "deep research"\nstarted 21:14 from Elsewhere · 2h 14m ago',
};
