import { calls, type Gate, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";

/** Delegates when it is asked to research; the gate holds the second half of an answer about tides. */
export const delegatingAnswer =
  (gate: Gate) =>
  ({ lastUserText, toolNames, toolOutputs }: ModelRequest): ModelAnswer => {
    if (toolNames.includes("complete_subtask")) return says("all about it");
    if (lastUserText.startsWith("[")) return says("Here is everything about it.");
    if (lastUserText.includes("tides")) return says(["The tide ", gate, `comes in (${lastUserText}).`]);
    if (!lastUserText.includes("research")) return says(`You said: ${lastUserText}`);
    if (toolOutputs.length > 0) return says("I am on it.");
    return calls([{ name: "spawn_subtask", arguments: { name: "part", prompt: "look" } }]);
  };
