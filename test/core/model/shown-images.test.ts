import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../core/model/step.ts";
import { fails, says } from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { modelAt, user, weather } from "./model-under-test.ts";

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
  server.follow([says("a map")]);
});
afterEach(() => server.stop());

const file = (id: string, mediaType = "image/png") => ({ id, name: `${id}.png`, mediaType, bytes: 3 });
const messages: ChatMessage[] = [
  user("draw"),
  { role: "assistant", text: "", toolCalls: [{ id: "c1", name: "weather", input: { city: "Kiel" } }] },
  {
    role: "tool",
    results: [
      {
        callId: "c1",
        name: "weather",
        output: "[file: map.png]",
        files: [...["old", "gone", "b", "c", "d"].map((id) => file(id)), file("text", "text/plain")],
      },
    ],
  },
];

const sentBy = async (provider: string, more: object = {}): Promise<string> => {
  const request = { system: "", messages, tools: [weather], toolChoice: "auto" as const };
  await modelAt(server.baseUrl, { provider, ...more }).step(request, {
    signal: new AbortController().signal,
    onText: () => undefined,
    readFile: async ({ id }) => (id === "gone" ? undefined : Buffer.from(id)),
  });
  return JSON.stringify(server.requests[0]?.body);
};

describe("given a tool result with images (T2)", () => {
  it("when the provider takes images, then the model gets the newest ones that have not expired, and the text", async () => {
    const sent = await sentBy("anthropic");
    for (const id of ["b", "c", "d"]) expect(sent).toContain(`"data":"${Buffer.from(id).toString("base64")}"`);
    for (const id of ["old", "text"]) expect(sent).not.toContain(`"data":"${Buffer.from(id).toString("base64")}"`);
    expect(sent).toContain("[file: map.png]");
  });

  it("when the provider takes them in messages of people only, then such a message follows the result (M3)", async () => {
    const sent = await sentBy("openai-compatible");
    expect(sent).toContain('"content":"[file: map.png]","tool_call_id":"c1"},{"role":"user"');
    for (const id of ["b", "c", "d"]) {
      expect(sent).toContain(`"data:image/png;base64,${Buffer.from(id).toString("base64")}"`);
    }
  });

  it("when the model takes none, then it gets the text alone", async () => {
    const sent = await sentBy("openai-compatible", { images: false });
    expect(sent).toContain("[file: map.png]");
    expect(sent).not.toContain("image/png");
  });
});

describe("given a message of a person with pictures (M3)", () => {
  const asked: ChatMessage[] = [{ role: "user", text: "what is this?", images: [file("photo"), file("gone")] }];
  const sent = async (provider: string, more: object = {}): Promise<string> => {
    const request = { system: "", messages: asked, tools: [], toolChoice: "none" as const };
    await modelAt(server.baseUrl, { provider, ...more }).step(request, {
      signal: new AbortController().signal,
      onText: () => undefined,
      readFile: async ({ id }) => (id === "gone" ? undefined : Buffer.from(id)),
    });
    return JSON.stringify(server.requests.at(-1)?.body);
  };
  const data = Buffer.from("photo").toString("base64");

  it("when the model sees, then it gets the bytes as an image part, and knows that the other picture is missing", async () => {
    expect(await sent("openai-compatible")).toContain(`"image_url":{"url":"data:image/png;base64,${data}"}`);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("attached images not shown here: 1");
    server.follow([says("a map")]);
    expect(await sent("anthropic")).toContain(`"media_type":"image/png","data":"${data}"`);
  });

  it("when the model takes text only, then it gets the text and a note", async () => {
    const text = await sent("openai-compatible", { images: false });
    expect(text).not.toContain(data);
    expect(text).toContain("attached images not shown here: 2");
  });

  it("when the model refuses the request with the picture, then it is asked again without it", async () => {
    server.follow([fails(400), says("a map")]);
    expect(await sent("openai-compatible")).not.toContain(data);
    expect(server.requests).toHaveLength(2);
  });
});
