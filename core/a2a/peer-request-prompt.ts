import type { Agent, SyntheticMessage, TurnPrompt } from "../turns/index.ts";

/**
 * A turn that another agent's message starts (A5): a notification or a question gets a small budget of tool rounds,
 * delegated work gets the agent's own. Only a notification needs no answer.
 */
export const peerRequestPrompt = (agent: Agent, { text, synthetic }: SyntheticMessage): TurnPrompt => ({
  text,
  mustReply: synthetic.data?.mode !== "notify",
  obsolete: false,
  toolRounds:
    synthetic.data?.mode === "task_delegate"
      ? agent.maxToolRounds
      : Math.min(agent.maxToolRounds, agent.peering.wakeToolRounds),
});
