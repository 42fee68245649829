import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StepResponse } from "../../../core/model/step.ts";
import { type ModelAnswer, raw } from "../../fakes/model-answer.ts";
import { anthropic, openAi } from "../../fakes/model-protocol.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { fuzzRuns } from "../../fuzz/fuzz-runs.ts";
import { modelAt, run, weather } from "./model-under-test.ts";

let server: ScriptedModelServer;
beforeAll(async () => {
  server = await ScriptedModelServer.start();
});
afterAll(() => server.stop());

const speech = { kind: "speech" as const, pieces: [], toolCalls: [], ending: "complete" as const };
const call = { id: "a", name: "weather", arguments: { city: "Kiel" } };
const validStream = ({ opening, text, toolCall, closing }: typeof openAi) =>
  `${opening()}${text("Hello")}${text(" you")}${toolCall(call, 0)}${closing(speech)}`;

const anyJson = fc.json({ maxDepth: 4 });
const openAiChunk = fc.record(
  {
    id: fc.option(fc.string()),
    choices: fc.array(
      fc.record(
        {
          delta: fc.record(
            {
              content: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
              tool_calls: fc.array(
                fc.record(
                  {
                    index: fc.oneof(fc.nat(3), fc.constant(null)),
                    id: fc.oneof(fc.constantFrom("a", ""), fc.string()),
                    function: fc.record(
                      { name: fc.constantFrom("weather", "__proto__", ""), arguments: fc.oneof(anyJson, fc.string()) },
                      { requiredKeys: [] },
                    ),
                  },
                  { requiredKeys: ["function"] },
                ),
                { maxLength: 3 },
              ),
            },
            { requiredKeys: [] },
          ),
          finish_reason: fc.constantFrom("stop", "length", "tool_calls", "content_filter", "odd", null),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
    usage: fc.record({ prompt_tokens: fc.double(), completion_tokens: fc.integer() }),
  },
  { requiredKeys: ["choices"] },
);

const events = (body: fc.Arbitrary<string>) =>
  fc.array(body, { maxLength: 6 }).map((bodies) => bodies.map((text) => `data: ${text}\n\n`).join(""));

/** A valid stream with a part replaced by something else. */
const mutilated = (stream: string) =>
  fc
    .tuple(fc.nat(stream.length), fc.nat(stream.length), fc.oneof(fc.string({ maxLength: 8 }), anyJson))
    .map(([a, b, filling]) => stream.slice(0, Math.min(a, b)) + filling + stream.slice(Math.max(a, b)));

const bodies = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  anyJson,
  events(anyJson),
  events(openAiChunk.map((chunk) => JSON.stringify(chunk))),
  mutilated(validStream(openAi)),
  mutilated(validStream(anthropic)),
);

const answers: fc.Arbitrary<ModelAnswer> = fc
  .tuple(
    bodies,
    fc.oneof({ weight: 4, arbitrary: fc.constant(200) }, { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) }),
    fc.constantFrom("text/event-stream", "application/json", "text/html", "x/y"),
  )
  .map(([body, status, type]) => raw(body, { status, headers: { "content-type": type } }));

describe.each(["openai-compatible", "anthropic"])("given a model of %s", (provider) => {
  it("given any answer, then the step has a valid response or a ModelFailed", async () => {
    const model = modelAt(server.baseUrl, { provider });
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        server.follow([answer]);
        const { response, failure, deltas } = await run(model, { tools: [weather] });
        if (failure !== undefined) return;
        expect(StepResponse.parse(JSON.parse(JSON.stringify(response)))).toEqual(response);
        expect(deltas.join("")).toBe(response?.text);
        expect(response?.text.trim() === "" && response.toolCalls.length === 0).toBe(false);
      }),
      fuzzRuns(100),
    );
  });
});
