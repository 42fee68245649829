import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import type { StepRequest } from "../../../core/model/index.ts";
import { messageIn } from "../core-on-bus.ts";
import { filler } from "../filler.ts";
import type { Floor } from "../floors/floor.ts";
import { scatteredKey } from "../scattered-key.ts";

/** A request of the product as an application of the bare SDK has it. */
const asSdkRequest = ({ system, messages, tools }: StepRequest) => ({
  system,
  messages: messages.flatMap((message): ModelMessage[] => {
    if (message.role === "user") return [{ role: "user", content: [message.text, message.context ?? ""].join("\n\n") }];
    if (message.role === "tool") {
      const content = message.results.map(({ callId, name, output }) => ({
        type: "tool-result" as const,
        toolCallId: callId,
        toolName: name,
        output: { type: "text" as const, value: output },
      }));
      return [{ role: "tool", content }];
    }
    const calls = message.toolCalls.map(({ id, name, input }) => ({
      type: "tool-call" as const,
      toolCallId: id,
      toolName: name,
      input,
    }));
    const text = message.text === "" ? [] : [{ type: "text" as const, text: message.text }];
    return [{ role: "assistant", content: [...text, ...calls] }];
  }),
  tools: Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  ) as ToolSet,
});

type SdkRequest = ReturnType<typeof asSdkRequest>;

export interface BareTurn {
  readonly service: string;
  readonly tool: string;
  /** The number of records of the call in the journal. */
  readonly records: number;
  readonly first: StepRequest;
  readonly second: StepRequest;
  call(): Promise<unknown>;
}

/**
 * The same turn by an application of the bare SDKs, from the stored message to the stored reply: two streamed requests of
 * the same content, the same call, and as many durable records of the same size, in the same order.
 */
export const bareTurn = (floor: Floor, { service, tool, records, call, ...requests }: BareTurn) => {
  const model = createOpenAICompatible({ name: "bare", baseURL: `${service}/v1`, includeUsage: true })(tool);
  const [first, second] = [asSdkRequest(requests.first), asSdkRequest(requests.second)];
  const ask = async (request: SdkRequest): Promise<number> => {
    let calls = 0;
    for await (const part of streamText({ ...request, model, maxRetries: 0 }).fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "tool-call") calls++;
    }
    return calls;
  };
  return async (serial: number): Promise<void> => {
    const key = scatteredKey(serial);
    let reply: () => void = () => undefined;
    const replied = new Promise<void>((resolve) => {
      reply = resolve;
    });
    await floor.publish(messageIn("room 0", "account 0", serial), async () => {
      await floor.put(`turn-${key}`, filler.bus.turn);
      if ((await ask(first)) !== 1) throw new Error("the model made no call");
      await floor.put(`response-${key}`, filler.tool.response);
      if (records === 3) await floor.put(`intent-${key}`, filler.tool.intent);
      await call();
      await floor.put(`result-${key}`, filler.tool.result);
      await ask(second);
      await floor.put(`history-${key}`, filler.tool.history);
      await floor.publish({ reply: filler.bus.reply }, async () => reply());
    });
    await replied;
  };
};
