import { type CallWarning, type TextStreamPart, ToolChoiceViolationError, type ToolSet } from "ai";
import { checkToolCall, isStorable, uniqueCallIds } from "../check-tool-call.ts";
import type { Cutoff } from "../cutoff.ts";
import { ModelFailed } from "../model-failed.ts";
import type { StepRequest, StepResponse, ToolCall } from "../step.ts";

type Part = TextStreamPart<ToolSet>;
type ToolCallPart = Extract<Part, { type: "tool-call" }>;
type FinishPart = Extract<Part, { type: "finish-step" }>;

/** A response is journaled as one value of the store; a model that talks without end is stopped here. */
const LARGEST_ANSWER_BYTES = 256 * 1024;

export interface StepListeners {
  readonly cutoff: Cutoff;
  onText(delta: string): void;
  /** A setting that the provider does not take. */
  onWarning(warning: CallWarning): void;
}

/** Gathers one step from the SDK's stream. Throws what went wrong with it. */
export const readStep = async (
  parts: AsyncIterable<Part>,
  request: StepRequest,
  { cutoff, onText, onWarning }: StepListeners,
): Promise<StepResponse> => {
  const callId = uniqueCallIds(request.messages);
  const toolCalls: ToolCall[] = [];
  let text = "";
  let bytes = 0;
  const heard = (delta: string) => {
    cutoff.heard();
    bytes += Buffer.byteLength(delta);
    if (bytes > LARGEST_ANSWER_BYTES) {
      throw new ModelFailed("bad-answer", `the model's answer is larger than ${LARGEST_ANSWER_BYTES} bytes`);
    }
  };
  for await (const part of parts) {
    if (cutoff.failure !== undefined) throw cutoff.failure;
    switch (part.type) {
      case "start-step":
        for (const warning of part.warnings) onWarning(warning);
        break;
      case "text-delta":
        heard(part.text);
        text += part.text;
        onText(part.text);
        break;
      case "reasoning-delta":
        cutoff.heard();
        break;
      case "tool-input-start":
        heard(part.toolName);
        break;
      case "tool-input-delta":
        heard(part.delta);
        break;
      case "tool-call":
        toolCalls.push(toToolCall(part, callId(part.toolCallId), request));
        break;
      case "error":
        // Tools that were called although forbidden are left out; the text, if there is any, still counts.
        if (!ToolChoiceViolationError.isInstance(part.error)) throw part.error;
        break;
      case "finish-step":
        return toResponse(part, text, toolCalls);
    }
  }
  throw new ModelFailed("bad-answer", "the model's stream ended in mid-answer");
};

const toToolCall = (part: ToolCallPart, id: string, { tools }: StepRequest): ToolCall => {
  // Some models send nothing at all for "no arguments".
  const input = part.input === "" ? {} : part.input;
  const malformed = part.invalid === true && typeof input === "string";
  const invalid = checkToolCall({ name: part.toolName, input, malformed }, tools);
  if (invalid === undefined) return { id, name: part.toolName, input };
  return { id, name: toToolName(part.toolName), input: isStorable(input) ? input : {}, invalid };
};

/** An invented name stays in the history, where providers check its spelling. */
const toToolName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unnamed";

const toResponse = (part: FinishPart, text: string, toolCalls: ToolCall[]): StepResponse => {
  // The SDK ends a stream that was cut with a reason of its own; a model's own reason has a raw form.
  if (part.rawFinishReason === undefined) throw new ModelFailed("bad-answer", "the model's stream ended in mid-answer");
  if (text.trim() === "" && toolCalls.length === 0) throw nothingSaid(part.finishReason);
  const { inputTokens, outputTokens } = part.usage;
  return {
    text,
    toolCalls,
    finish: finishOf(part.finishReason, toolCalls.length > 0),
    usage: { inputTokens: tokens(inputTokens), outputTokens: tokens(outputTokens) },
  };
};

const nothingSaid = (finishReason: string): ModelFailed => {
  if (finishReason === "content-filter") {
    return new ModelFailed("refused", "the provider's content filter stopped the answer");
  }
  return new ModelFailed(
    "bad-answer",
    finishReason === "length"
      ? "the model used up its output before it said anything: raise maxOutputTokens"
      : "the model's answer is empty",
  );
};

/** Several servers finish with "stop" although they call tools. */
const finishOf = (finishReason: string, callsTools: boolean): StepResponse["finish"] => {
  if (finishReason === "length") return "length";
  if (callsTools) return "tool-calls";
  return finishReason === "stop" || finishReason === "tool-calls" ? "stop" : "other";
};

const tokens = (count: number | undefined): number =>
  count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
