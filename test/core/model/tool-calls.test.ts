import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ChatMessage, StepResponse } from "../../../core/model/step.ts";
import { describeTool } from "../../../core/model/tool-calls.ts";
import { calls, type ScriptedToolCall } from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { modelAt, run, user, weather } from "./model-under-test.ts";

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.stop());

const toolCallsOf = async (script: readonly ScriptedToolCall[], messages?: ChatMessage[], config: object = {}) => {
  server.follow([calls(script)]);
  const request = { tools: [weather], ...(messages && { messages }) };
  const { response } = await run(modelAt(server.baseUrl, config), request);
  expect(StepResponse.parse(JSON.parse(JSON.stringify(response)))).toEqual(response);
  return response?.toolCalls ?? [];
};

describe("given a model that sends invalid arguments", () => {
  it.each([
    { what: "cut-off JSON", name: "weather", args: '{"city":"Ki', says: "not valid JSON" },
    { what: "a list", name: "weather", args: "[1]", says: "not a JSON object" },
    { what: "a string", name: "weather", args: '"Kiel"', says: "not a JSON object" },
    { what: "a forbidden key", name: "weather", args: '{"__proto__":{"city":1},"city":"x"}', says: "not allowed" },
    { what: "a missing field", name: "weather", args: "{}", says: "city" },
    { what: "nothing at all", name: "weather", args: "", says: "city" },
    { what: "a wrong type", name: "weather", args: '{"city":"Kiel","days":"two"}', says: "days" },
    { what: "a value out of range", name: "weather", args: '{"city":"Kiel","days":0}', says: "days" },
    { what: "an invented tool", name: "wether", args: '{"city":"Kiel"}', says: "The tools are: weather." },
    { what: "a name every object has", name: "constructor", args: "{}", says: "no tool with this name" },
    {
      what: "endless nesting",
      name: "weather",
      args: `{"city":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
      says: "deep",
    },
  ])("when it sends $what, then the call has the reason why it is invalid", async ({ name, args, says }) => {
    const [call] = await toolCallsOf([{ name, arguments: args }]);
    expect(call?.invalid).toContain(says);
  });

  it("when one of two calls is invalid, then the other is valid", async () => {
    const [bad, good] = await toolCallsOf([
      { name: "weather", arguments: "{" },
      { name: "weather", arguments: { city: "Kiel" } },
    ]);
    expect(bad?.invalid).toBeDefined();
    expect(good).toEqual({ id: "call_1_1", name: "weather", input: { city: "Kiel" } });
  });

  it("when it invents a name that providers reject, then the history gets a valid one", async () => {
    const [call] = await toolCallsOf([{ name: "what's the weather?", arguments: {} }]);
    expect(call?.name).toBe("what_s_the_weather_");
  });
});

describe.each(["openai-compatible", "anthropic"])("given a model of %s that sends invalid ids", (provider) => {
  const ids = async (given: readonly string[], messages?: ChatMessage[]) => {
    const script = given.map((id) => ({ id, name: "weather", arguments: { city: "Kiel" } }));
    return (await toolCallsOf(script, messages, { provider })).map(({ id }) => id);
  };

  it("when ids repeat or are missing, then every call gets its own", async () => {
    const found = await ids(["same", "same", "", ""]);
    expect(found).toHaveLength(4);
    expect(new Set(found).size).toBe(4);
    expect(found[0]).toBe("same");
  });

  it("when an id was used earlier in the conversation, then the new call gets another", async () => {
    const history: ChatMessage[] = [
      user("before"),
      { role: "assistant", text: "", toolCalls: [{ id: "call_0", name: "weather", input: { city: "Bonn" } }] },
      { role: "tool", results: [{ callId: "call_0", name: "weather", output: "rain" }] },
      user("and now?"),
    ];
    expect(await ids(["call_0"], history)).not.toContain("call_0");
  });

  it("when an id has characters that a provider would refuse, then it is replaced", async () => {
    expect((await ids(["functions.weather:0"]))[0]).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe("given a tool with a zod schema", () => {
  const input = z.object({ key: z.string().min(1), days: z.number().default(1) });
  const tool = describeTool({ name: "save", description: "Saves.", input });

  it("when it is described, then a field with a default is optional and the schema is made once", () => {
    expect(tool.inputSchema).toMatchObject({ type: "object", required: ["key"] });
    expect(describeTool({ name: "save", description: "Saves.", input }).inputSchema).toBe(tool.inputSchema);
  });

  it("when the model leaves out the default, then the call is valid with unchanged input", async () => {
    server.follow([calls([{ name: "save", arguments: { key: "a" } }])]);
    const { response } = await run(modelAt(server.baseUrl), { tools: [tool] });
    expect(response?.toolCalls[0]).toEqual({ id: "call_1_0", name: "save", input: { key: "a" } });
  });
});
