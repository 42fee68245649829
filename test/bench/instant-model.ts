import type { AgentModel } from "../../core/model/agent-model.ts";

export const instantModel: AgentModel = {
  label: "instant",
  step: async () => ({ text: "Noted.", toolCalls: [], finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } }),
};
