import { z } from "zod";
import { FileRef } from "../contract/file-ref.ts";

export const ToolCall = z.looseObject({
  /** Unique among the calls of the conversation the model was shown. */
  id: z.string().min(1),
  name: z.string(),
  input: z.unknown(),
  /** The reason why the call is invalid. It is answered with this text and never run. */
  invalid: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const ToolResult = z.looseObject({
  callId: z.string().min(1),
  name: z.string(),
  output: z.string(),
  failed: z.boolean().optional(),
  /** The text names them too, for models that take only text. */
  files: z.array(FileRef).optional(),
  /** Stored files that only the model sees. */
  shown: z.array(FileRef).optional(),
  /** The result of the same call for an earlier version of the message; the call did not run again. */
  isEarlier: z.boolean().optional(),
  /** How long the call took; absent if it did not run. */
  durationMs: z.number().nonnegative().optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/** A message in the history and in model requests. Every tool call is followed by its result. */
export const ChatMessage = z.discriminatedUnion("role", [
  z.looseObject({
    role: z.literal("user"),
    text: z.string(),
    /** About the moment of the request; only the newest message of a request has it, and the history never. */
    context: z.string().optional(),
    /** Pictures that the person has sent with it. */
    images: z.array(FileRef).optional(),
  }),
  z.looseObject({ role: z.literal("assistant"), text: z.string(), toolCalls: z.array(ToolCall) }),
  z.looseObject({ role: z.literal("tool"), results: z.array(ToolResult) }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ToolDescription = z.looseObject({
  /** Letters, digits, "_" and "-", at most 64 characters, which every provider accepts. */
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  description: z.string(),
  /** JSON schema of one object. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** The tool accepts more than its schema says, so only its own check counts. */
  checksInput: z.boolean().optional(),
});
export type ToolDescription = z.infer<typeof ToolDescription>;

export const StepRequest = z.looseObject({
  system: z.string(),
  messages: z.array(ChatMessage),
  tools: z.array(ToolDescription),
  /** "none" makes the model answer in text; the tools stay listed, because the history may have their calls. */
  toolChoice: z.enum(["auto", "none"]),
});
export type StepRequest = z.infer<typeof StepRequest>;

export const Usage = z.looseObject({
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

/** Has text, tool calls or both; an answer without either is a failure. */
export const StepResponse = z.looseObject({
  text: z.string(),
  toolCalls: z.array(ToolCall),
  finish: z.enum(["stop", "tool-calls", "length", "other"]),
  usage: Usage,
  /** The label of the model that answered, if the agent has several. */
  model: z.string().optional(),
  /** Files of an agent elsewhere. */
  files: z.array(FileRef).optional(),
});
export type StepResponse = z.infer<typeof StepResponse>;
