import type { Config } from "../../config/config.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { createModel, type ModelParts } from "../../core/model/index.ts";
import type { Finding } from "./finding.ts";

const PATIENCE_MS = 30_000;

/** Asks the agent's model for one word: only a real answer proves address, key and model name at once. */
export const checkModel = async (agent: Config["agents"][number], parts: ModelParts): Promise<Finding> => {
  const subject = `model of ${agent.name}`;
  try {
    const model = createModel(agent.model, parts);
    await model.step(
      { system: "", messages: [{ role: "user", text: "Answer with the word OK." }], tools: [], toolChoice: "none" },
      { signal: AbortSignal.timeout(PATIENCE_MS), onText: () => undefined },
    );
    return { verdict: "ok", subject, text: `${model.label} answers` };
  } catch (error) {
    return { verdict: "problem", subject, text: messageOf(error) };
  }
};
