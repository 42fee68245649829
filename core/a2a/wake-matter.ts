import type { Synthetic } from "../contract/synthetic.ts";
import type { UserMessage } from "../contract/user-message.ts";
import type { Agent } from "../turns/agent.ts";

type Wake = UserMessage & { synthetic: Synthetic };

/** A turn that another agent's message starts: a small budget, and an answer unless nobody wants one (A5). */
export const wakeMatter = (agent: Agent, { text, synthetic }: Wake) => ({
  text,
  mustSpeak: synthetic.data?.mode !== "notify",
  isMoot: false,
  toolRounds: Math.min(agent.maxToolRounds, agent.peering.wakeToolRounds),
});
