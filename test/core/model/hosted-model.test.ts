import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChatMessage, StepResponse } from "../../../core/model/step.ts";
import { calls, fails, says } from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { HEADER_SECRET, KEY, modelAt, run, user, weather } from "./model-under-test.ts";

const providers = [
  { provider: "openai-compatible", path: "/v1/chat/completions", keyHeader: "authorization", key: `Bearer ${KEY}` },
  { provider: "anthropic", path: "/v1/messages", keyHeader: "x-api-key", key: KEY },
];

const said: ChatMessage = { role: "assistant", text: "yes", toolCalls: [] };

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.stop());

describe.each(providers)("given a model of $provider", ({ provider, path, keyHeader, key }) => {
  it("when it streams text, then each piece is emitted and the response has the whole text", async () => {
    server.follow([says(["Good ", "morning", "."], { usage: { input: 10, output: 7 } })]);
    const { response, deltas } = await run(modelAt(server.baseUrl, { provider }));
    expect(deltas).toEqual(["Good ", "morning", "."]);
    expect(response).toEqual({
      text: "Good morning.",
      toolCalls: [],
      finish: "stop",
      usage: { inputTokens: 10, outputTokens: 7 },
    });
    expect(StepResponse.parse(JSON.parse(JSON.stringify(response)))).toEqual(response);
  });

  it("when a step runs, then one request has key, headers, settings, system text and tools", async () => {
    server.follow([says("ok")]);
    const model = modelAt(server.baseUrl, { provider, temperature: 0.5, maxOutputTokens: 77 });
    await run(model, { tools: [weather] });
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({ path, lastUserText: "hello", toolNames: ["weather"] });
    expect(request?.headers).toMatchObject({ [keyHeader]: key, "x-tenant": HEADER_SECRET });
    expect(request?.body).toMatchObject({ model: "scripted", stream: true, temperature: 0.5, max_tokens: 77 });
    expect(JSON.stringify(request?.body)).toContain("You are a test.");
    expect(model.label).toBe(`${provider}/scripted`);
  });

  it("when the newest message has a context, then the context comes last, after the mark of the cached part (M1)", async () => {
    server.follow([says("ok")]);
    const messages: ChatMessage[] = [user("first"), said, { role: "user", text: "second", context: "[Context] now" }];
    await run(modelAt(server.baseUrl, { provider }), { messages });
    const sent = server.requests[0]?.body.messages.at(-1)?.content;
    if (provider !== "anthropic") expect(sent).toBe("second\n\n[Context] now");
    else {
      expect(sent).toEqual([
        { type: "text", text: "second", cache_control: { type: "ephemeral" } },
        { type: "text", text: "[Context] now" },
      ]);
    }
  });

  it("when it calls tools in parallel, then all calls are returned and none is run", async () => {
    server.follow([
      calls(
        [
          { name: "weather", arguments: { city: "Kiel" } },
          { name: "weather", arguments: { city: "Bonn", days: 2 } },
        ],
        { text: "Let me look." },
      ),
    ]);
    const { response } = await run(modelAt(server.baseUrl, { provider }), { tools: [weather] });
    expect(response).toMatchObject({
      text: "Let me look.",
      finish: "tool-calls",
      toolCalls: [
        { id: "call_1_0", name: "weather", input: { city: "Kiel" } },
        { id: "call_1_1", name: "weather", input: { city: "Bonn", days: 2 } },
      ],
    });
    expect(server.requests).toHaveLength(1);
  });

  it("when the history has calls and results, also invalid ones, then the provider gets all of them in its format", async () => {
    server.follow([says("ok")]);
    const messages: ChatMessage[] = [
      user("weather?"),
      {
        role: "assistant",
        text: "",
        toolCalls: [
          { id: "a", name: "weather", input: { city: "Kiel" } },
          { id: "b", name: "weather", input: '{"city', invalid: "no JSON" },
        ],
      },
      {
        role: "tool",
        results: [
          { callId: "a", name: "weather", output: "sunny" },
          { callId: "b", name: "weather", output: "no JSON", failed: true },
        ],
      },
      { role: "assistant", text: "", toolCalls: [] },
      user(" "),
    ];
    const { response } = await run(modelAt(server.baseUrl, { provider }), { messages, tools: [weather] });
    expect(response?.text).toBe("ok");
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    for (const part of ["Kiel", "sunny", "no JSON", "malformed", "(no text)"]) expect(sent).toContain(part);
    expect(server.requests[0]?.body.messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  });

  it("when tools are forbidden for a step, then they stay listed and the request says so", async () => {
    server.follow([says("fine, text")]);
    await run(modelAt(server.baseUrl, { provider }), { tools: [weather], toolChoice: "none" });
    expect(server.requests[0]?.toolNames).toEqual(["weather"]);
    expect(JSON.stringify(server.requests[0]?.body.tool_choice)).toContain("none");
  });

  it("when it calls a forbidden tool anyway, then its text is used and the call is dropped", async () => {
    server.follow([calls([{ name: "weather", arguments: { city: "Kiel" } }], { text: "It is sunny." })]);
    const { response } = await run(modelAt(server.baseUrl, { provider }), { tools: [weather], toolChoice: "none" });
    expect(response).toMatchObject({ text: "It is sunny.", toolCalls: [], finish: "other" });
  });

  it("when its output limit ends the answer, then the finish says so", async () => {
    server.follow([says("half a", { finishReason: provider === "anthropic" ? "max_tokens" : "length" })]);
    const { response } = await run(modelAt(server.baseUrl, { provider }));
    expect(response).toMatchObject({ text: "half a", finish: "length" });
  });
});

it("given many concurrent steps, when some of them fail, then each gets its own answer or its own failure", async () => {
  server.follow(({ lastUserText }) => (lastUserText.endsWith("3") ? fails(429) : says([lastUserText, "!"])));
  const model = modelAt(server.baseUrl);
  for (let round = 0; round < 2; round++) {
    const runs = await Promise.all([...Array(20).keys()].map((n) => run(model, { messages: [user(`question ${n}`)] })));
    for (const [n, { response, failure }] of runs.entries()) {
      if (n % 10 === 3) expect(failure?.reason).toBe("rate-limited");
      else expect(response?.text).toBe(`question ${n}!`);
    }
  }
});
