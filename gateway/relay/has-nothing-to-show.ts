import type { AgentReply } from "../../core/contract/agent-reply.ts";

/** It ends a wait, which only a channel with a log of its own shows (B7). */
export const hasNothingToShow = ({ markdown, actions }: AgentReply): boolean =>
  markdown.trim() === "" && (actions ?? []).length === 0;
