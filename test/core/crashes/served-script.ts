import { z } from "zod";
import type { ChatMessage, StepRequest } from "../../../core/model/step.ts";
import type { ModelAnswer } from "../../fakes/model-answer.ts";
import { calls, fails, says } from "../../fakes/model-answer.ts";
import { type ModelRequest, splitContext } from "../../fakes/model-request.ts";
import type { Answer } from "../../fakes/scripted-model.ts";

const Calls = z.object({
  tool_calls: z.array(z.object({ id: z.string(), function: z.object({ name: z.string() }) })).default([]),
});
const Result = z.object({ tool_call_id: z.string(), content: z.string() });

/** Adapts a script of an in-process model to a model that other processes call over HTTP. */
export const servedScript =
  (script: (request: StepRequest) => Answer) =>
  async (request: ModelRequest): Promise<ModelAnswer> => {
    const answer = script(stepRequest(request));
    if (answer instanceof Error) return fails(401);
    const left = new AbortController();
    void request.closed.then(() => left.abort());
    const { text, toolCalls } =
      typeof answer === "function"
        ? await answer({ signal: left.signal, onText() {} })
        : typeof answer === "string"
          ? { text: answer, toolCalls: [] }
          : answer;
    return toolCalls.length === 0
      ? says(text)
      : calls(toolCalls.map(({ name, input }) => ({ name, arguments: input })));
  };

/** The parts of the request that scripts read. */
const stepRequest = ({ body, toolNames }: ModelRequest): StepRequest => {
  const names = new Map<string, string>();
  const messages = body.messages.flatMap((message): ChatMessage[] => {
    const text = typeof message.content === "string" ? message.content : "";
    if (message.role === "user") return [{ role: "user", text: splitContext(text).lastUserText }];
    if (message.role === "tool") {
      const { tool_call_id: callId, content: output } = Result.parse(message);
      return [{ role: "tool", results: [{ callId, name: names.get(callId) ?? "", output }] }];
    }
    if (message.role !== "assistant") return [];
    for (const call of Calls.parse(message).tool_calls) names.set(call.id, call.function.name);
    return [{ role: "assistant", text, toolCalls: [] }];
  });
  const tools = toolNames.map((name) => ({ name, description: "", inputSchema: {} }));
  return { system: "", messages, tools, toolChoice: "auto" };
};
