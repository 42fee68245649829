import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls, Gate, says } from "./model-answer.ts";
import { ScriptedModelServer } from "./scripted-model-server.ts";

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.stop());

const post = (path: string, body: object) =>
  fetch(`${server.baseUrl}${path}`, { method: "POST", body: JSON.stringify({ model: "m", ...body }) });

const hello = { messages: [{ role: "user", content: "hello" }] };

describe("given the scripted model server", () => {
  it("when a request does not ask for a stream, then it gets one JSON response", async () => {
    server.follow([calls([{ name: "f", arguments: { a: 1 } }], { text: "hm" }), says("hi")]);
    expect(await (await post("/chat/completions", hello)).json()).toMatchObject({
      choices: [
        {
          message: { content: "hm", tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }] },
          finish_reason: "tool_calls",
        },
      ],
    });
    expect(await (await post("/messages", hello)).json()).toMatchObject({ content: [{ text: "hi" }] });
  });

  it("when the script is a function, then its answer can depend on the user's text and the tool outputs", async () => {
    server.follow(({ lastUserText, toolOutputs, number }) => says(`${number} ${lastUserText} ${toolOutputs.join()}`));
    const openAi = { messages: [...hello.messages, { role: "tool", tool_call_id: "a", content: "sunny" }] };
    const anthropic = {
      messages: [
        ...hello.messages,
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "rainy" }] },
      ],
    };
    expect(await (await post("/chat/completions", openAi)).text()).toContain("1 hello sunny");
    expect(await (await post("/messages", anthropic)).text()).toContain("2 hello rainy");
  });

  it("when the script has no more answers, then a request fails with that reason", async () => {
    const response = await post("/chat/completions", hello);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("no answer for request 1");
  });

  it("when a test waits for a request, then it gets the request before the response", async () => {
    const gate = new Gate();
    server.follow([says([gate, "hi"])]);
    const answer = post("/chat/completions", { ...hello, stream: true });
    const request = await server.received(1);
    expect(request).toMatchObject({ number: 1, lastUserText: "hello", body: { stream: true } });
    gate.release();
    expect(await (await answer).text()).toContain("[DONE]");
    expect(await request.closed).toBe("answered");
  });
});
