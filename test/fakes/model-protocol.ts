import type { ScriptedToolCall, Speech } from "./model-answer.ts";

export interface NumberedCall extends ScriptedToolCall {
  readonly id: string;
}

/** The response format of one provider's API. */
export interface ModelProtocol {
  readonly name: "openai" | "anthropic";
  readonly path: string;
  /** Server-sent events, including their blank lines. */
  opening(): string;
  text(delta: string): string;
  toolCall(call: NumberedCall, index: number): string;
  closing(speech: Speech): string;
  /** The response body without streaming. */
  whole(text: string, calls: readonly NumberedCall[], speech: Speech): object;
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const argumentsOf = ({ arguments: args }: ScriptedToolCall): string =>
  typeof args === "string" ? args : JSON.stringify(args);
const usageOf = ({ usage }: Speech) => usage ?? { input: 10, output: 5 };

const openAiFinish = (speech: Speech) => speech.finishReason ?? (speech.toolCalls.length > 0 ? "tool_calls" : "stop");
const openAiUsage = (speech: Speech) => {
  const { input, output } = usageOf(speech);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
};
const openAiChunk = (choice: object, rest: object = {}) =>
  data({ id: "chat-1", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [choice], ...rest });
const openAiCall = (call: NumberedCall) => ({
  ...(call.id === "" ? {} : { id: call.id }),
  type: "function",
  function: { name: call.name, arguments: argumentsOf(call) },
});

export const openAi: ModelProtocol = {
  name: "openai",
  path: "/v1/chat/completions",
  opening: () => openAiChunk({ index: 0, delta: { role: "assistant", content: "" } }),
  text: (content) => openAiChunk({ index: 0, delta: { content } }),
  toolCall: (call, index) => openAiChunk({ index: 0, delta: { tool_calls: [{ index, ...openAiCall(call) }] } }),
  closing: (speech) =>
    openAiChunk({ index: 0, delta: {}, finish_reason: openAiFinish(speech) }, { usage: openAiUsage(speech) }) +
    "data: [DONE]\n\n",
  whole: (content, calls, speech) => ({
    id: "chat-1",
    object: "chat.completion",
    created: 1,
    model: "scripted",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls.map(openAiCall) } : {}) },
        finish_reason: openAiFinish(speech),
      },
    ],
    usage: openAiUsage(speech),
  }),
};

const event = (value: { type: string; [field: string]: unknown }): string => `event: ${value.type}\n${data(value)}`;
const anthropicFinish = (speech: Speech) =>
  speech.finishReason ?? (speech.toolCalls.length > 0 ? "tool_use" : "end_turn");
const anthropicMessage = (rest: object) => ({
  id: "msg-1",
  type: "message",
  role: "assistant",
  model: "scripted",
  stop_sequence: null,
  ...rest,
});

/** Block 0 is the text, empty if the answer has only tool calls; the calls are the next blocks. */
export const anthropic: ModelProtocol = {
  name: "anthropic",
  path: "/v1/messages",
  opening: () =>
    event({
      type: "message_start",
      message: anthropicMessage({ content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } }),
    }) + event({ type: "ping" }),
  text: (text) =>
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }) +
    event({ type: "content_block_stop", index: 0 }),
  toolCall: (call, index) =>
    event({
      type: "content_block_start",
      index: index + 1,
      content_block: { type: "tool_use", id: call.id, name: call.name, input: {} },
    }) +
    event({
      type: "content_block_delta",
      index: index + 1,
      delta: { type: "input_json_delta", partial_json: argumentsOf(call) },
    }) +
    event({ type: "content_block_stop", index: index + 1 }),
  closing: (speech) =>
    event({
      type: "message_delta",
      delta: { stop_reason: anthropicFinish(speech), stop_sequence: null },
      usage: { output_tokens: usageOf(speech).output },
    }) + event({ type: "message_stop" }),
  whole: (text, calls, speech) =>
    anthropicMessage({
      content: [
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...calls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: call.arguments })),
      ],
      stop_reason: anthropicFinish(speech),
      usage: { input_tokens: usageOf(speech).input, output_tokens: usageOf(speech).output },
    }),
};
