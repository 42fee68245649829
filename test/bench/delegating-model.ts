import type { AgentModel } from "../../core/model/agent-model.ts";
import type { StepResponse } from "../../core/model/step.ts";

/** The text of a message that starts three subtasks. */
export const DELEGATE = "Please have this looked into.";

const NAMES = ["tides", "knots", "ropes"];
const tasks = NAMES.map((name) => ({ name, prompt: `Find out about ${name}.` }));

const answers = (text: string, toolCalls: StepResponse["toolCalls"] = []): StepResponse => ({
  text,
  toolCalls,
  finish: toolCalls.length === 0 ? "stop" : "tool-calls",
  usage: { inputTokens: 1, outputTokens: 1 },
});

/** Answers at once: starts three subtasks if the message asks for them, otherwise returns a short text. */
export const delegatingModel: AgentModel = {
  label: "delegating",
  step: async ({ messages }) => {
    const last = messages.at(-1);
    const isToDelegate = last?.role === "user" && last.text === DELEGATE;
    return isToDelegate
      ? answers("", [{ id: "call", name: "spawn_parallel_subtasks", input: { tasks } }])
      : answers("Noted.");
  },
};
