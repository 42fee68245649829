import type { AgentReply } from "../contract/agent-reply.ts";
import type { Conversation } from "../contract/conversation.ts";

/** The conversations of one channel in which a reply is shown; always inside its audience. */
export const targetsOn = (channel: string, reply: AgentReply): Conversation[] => {
  const { conversation } = reply.audience;
  return conversation.channel === channel ? [conversation] : [];
};
