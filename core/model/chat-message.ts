import { z } from "zod";

export const ToolCall = z.looseObject({
  /** Unique among the calls of the conversation the model was shown. */
  id: z.string().min(1),
  name: z.string(),
  input: z.unknown(),
  /** Why this call is no good. It is answered with this text and never run. */
  invalid: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const ToolResult = z.looseObject({
  callId: z.string().min(1),
  name: z.string(),
  output: z.string(),
  failed: z.boolean().optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/** What a session remembers and a model is shown. Every tool call is followed by its result. */
export const ChatMessage = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("user"), text: z.string() }),
  z.looseObject({ role: z.literal("assistant"), text: z.string(), toolCalls: z.array(ToolCall) }),
  z.looseObject({ role: z.literal("tool"), results: z.array(ToolResult) }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;
