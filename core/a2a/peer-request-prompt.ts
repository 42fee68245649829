import type { Agent } from "../turns/agent.ts";
import type { SyntheticMessage, TurnPrompt } from "../turns/turn-source.ts";

/** A turn that another agent's message starts: a small budget, and an answer unless it was only a notification (A5). */
export const peerRequestPrompt = (agent: Agent, { text, synthetic }: SyntheticMessage): TurnPrompt => ({
  text,
  mustReply: synthetic.data?.mode !== "notify",
  obsolete: false,
  toolRounds: Math.min(agent.maxToolRounds, agent.peering.wakeToolRounds),
});
