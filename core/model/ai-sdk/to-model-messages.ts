import type { ModelMessage } from "ai";
import type { ChatMessage, ToolCall, ToolResult } from "../step.ts";

/** Providers refuse a user message without text, e.g. one that had only attachments. */
const NO_TEXT = "(no text)";

/** Our history in the form the SDK takes. What a provider would refuse is left out or made harmless. */
export const toModelMessages = (messages: readonly ChatMessage[]): ModelMessage[] => messages.flatMap(toModelMessage);

const toModelMessage = (message: ChatMessage): ModelMessage[] => {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: isBlank(message.text) ? NO_TEXT : message.text }];
    case "assistant": {
      const text = isBlank(message.text) ? [] : [{ type: "text" as const, text: message.text }];
      const content = [...text, ...message.toolCalls.map(toCallPart)];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return message.results.length === 0 ? [] : [{ role: "tool", content: message.results.map(toResultPart) }];
  }
};

const isBlank = (text: string): boolean => text.trim() === "";

const toCallPart = ({ id, name, input }: ToolCall) => ({
  type: "tool-call" as const,
  toolCallId: id,
  toolName: name,
  input: isRecord(input) ? input : { malformed: input ?? null },
});

/** Malformed arguments are kept as text; providers take back nothing but an object. */
const isRecord = (input: unknown): boolean => typeof input === "object" && input !== null && !Array.isArray(input);

const toResultPart = ({ callId, name, output, failed }: ToolResult) => ({
  type: "tool-result" as const,
  toolCallId: callId,
  toolName: name,
  output: { type: failed ? ("error-text" as const) : ("text" as const), value: output },
});
