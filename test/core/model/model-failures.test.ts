import { createServer } from "node:net";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelFailure } from "../../../core/model/model-failed.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import {
  calls,
  cutsAfter,
  empty,
  endsEarlyAfter,
  eventStream,
  fails,
  garbage,
  hangsUp,
  html,
  type ModelAnswer,
  raw,
  says,
} from "../../fakes/model-answer.ts";
import { ScriptedModelServer } from "../../fakes/scripted-model-server.ts";
import { HEADER_SECRET, KEY, modelAt, run, user } from "./model-under-test.ts";

const PROMPT = "the-prompt-canary";

let server: ScriptedModelServer;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(() => server.stop());

interface Row {
  readonly when: string;
  readonly answer: ModelAnswer;
  readonly reason: ModelFailure;
  readonly retryable: boolean;
}

const row = (when: string, answer: ModelAnswer, reason: ModelFailure, retryable: boolean): Row => ({
  when,
  answer,
  reason,
  retryable,
});

const tooLong = (message: string, error: object = {}) => fails(400, { error: { message, ...error } });
const inStream = (error: object) => eventStream(`data: ${JSON.stringify({ type: "error", error })}\n\n`);

const rows: readonly Row[] = [
  row("HTTP 401", fails(401), "credentials", false),
  row("HTTP 403", fails(403), "credentials", false),
  row("HTTP 400 about the key", fails(400, { error: { message: "API key not valid." } }), "credentials", false),
  row("HTTP 429 without credit", fails(429, { error: { code: "insufficient_quota" } }), "credentials", false),
  row("HTTP 404", fails(404), "refused", false),
  row("HTTP 400", fails(400), "refused", false),
  row("HTTP 302", raw("", { status: 302, headers: { location: "http://127.0.0.1:1/" } }), "refused", false),
  row("HTTP 413", fails(413), "context-too-long", false),
  row("HTTP 400, OpenAI's text", tooLong("…", { code: "context_length_exceeded" }), "context-too-long", false),
  row(
    "HTTP 400, vLLM's text",
    tooLong("This model's maximum context length is 4096 tokens"),
    "context-too-long",
    false,
  ),
  row("HTTP 400, Anthropic's text", tooLong("prompt is too long: 200001 tokens"), "context-too-long", false),
  row("HTTP 400, llama.cpp's text", tooLong("request exceeds the available context size"), "context-too-long", false),
  row("HTTP 429", fails(429), "rate-limited", true),
  row("HTTP 408", fails(408), "timeout", true),
  row("HTTP 500", fails(500), "overloaded", true),
  row("HTTP 502 with a page", html(502), "overloaded", true),
  row("HTTP 503", fails(503), "overloaded", true),
  row("HTTP 529", fails(529), "overloaded", true),
  row("a closed connection", hangsUp(), "unreachable", true),
  row("an empty body", empty(), "bad-answer", true),
  row("no text and no call", says(""), "bad-answer", true),
  row("white space only", says(" \n "), "bad-answer", true),
  row("HTML", html(), "bad-answer", true),
  row("garbage for events", garbage(), "bad-answer", true),
  row(
    "JSON of another kind",
    raw('{"hello":1}', { headers: { "content-type": "application/json" } }),
    "bad-answer",
    true,
  ),
  row("a connection cut during the answer", cutsAfter("Hel"), "bad-answer", true),
  row("a stream that ends during the answer", endsEarlyAfter("Hel"), "bad-answer", true),
  row("an endless answer", says(Array<string>(300).fill("x".repeat(1024))), "bad-answer", true),
  row("overload in the stream", inStream({ type: "overloaded_error", message: "…" }), "overloaded", true),
  row("a rate limit in the stream", inStream({ type: "rate_limit_error", message: "…" }), "rate-limited", true),
  row(
    "a too long prompt in the stream",
    inStream({ type: "x", message: "prompt is too long" }),
    "context-too-long",
    false,
  ),
  row("an unknown error in the stream", inStream({ type: "x", message: "…" }), "bad-answer", true),
];

describe.each(["openai-compatible", "anthropic"])("given a model of %s", (provider) => {
  it.each(rows)("when the answer is $when, then the step fails: $reason", async ({ answer, reason, retryable }) => {
    server.follow([answer]);
    const { failure } = await run(modelAt(server.baseUrl, { provider }), { messages: [user(PROMPT)] });
    expect(failure).toMatchObject({ reason, retryable });
    expect(server.requests).toHaveLength(1);
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(PROMPT);
  });

  it("when a content filter stops it without text, then the reason is refused", async () => {
    server.follow([says("", { finishReason: provider === "anthropic" ? "refusal" : "content_filter" })]);
    const { failure } = await run(modelAt(server.baseUrl, { provider }));
    expect(failure).toMatchObject({ reason: "refused", retryable: false });
  });

  it("when no server listens at its address, then it is unreachable", async () => {
    const { failure } = await run(modelAt(`http://127.0.0.1:${await unusedPort()}/v1`, { provider }));
    expect(failure).toMatchObject({ reason: "unreachable", retryable: true });
    expect(failure?.message).toContain("ECONNREFUSED");
  });

  it.each([
    { headers: { "retry-after": "7" }, ms: 7_000 },
    { headers: { "retry-after": "0.25" }, ms: 250 },
    { headers: { "retry-after-ms": "1500", "retry-after": "2" }, ms: 1_500 },
    { headers: { "retry-after": "Wed, 01 Jan 2025 00:00:30 GMT" }, ms: 30_000 },
    { headers: { "retry-after": "Wed, 01 Jan 2020 00:00:30 GMT" }, ms: 0 },
    { headers: { "retry-after": "-1" }, ms: undefined },
    { headers: { "retry-after": "soon" }, ms: undefined },
    { headers: {}, ms: undefined },
  ])("when a rate limit comes with $headers, then the wait is $ms ms", async ({ headers, ms }) => {
    server.follow([fails(429, { headers })]);
    const { failure } = await run(modelAt(server.baseUrl, { provider }, { clock: new ManualClock() }));
    expect(failure?.reason).toBe("rate-limited");
    expect(failure?.retryAfterMs).toBe(ms);
  });

  it("when the server echoes our secrets and the prompt, then no failure shows them", async () => {
    const answers = [401, 400, 429, 500].flatMap((status) => [
      fails(status, { headers: { "x-echo": KEY }, error: { message: `${KEY} ${HEADER_SECRET} ${PROMPT}` } }),
      fails(status, { error: { code: KEY, type: HEADER_SECRET, param: KEY } }),
      raw(`${KEY} ${PROMPT}`, { status }),
    ]);
    server.follow([
      ...answers,
      inStream({ type: KEY, code: HEADER_SECRET, message: PROMPT }),
      cutsAfter(KEY),
      raw(KEY),
    ]);
    const model = modelAt(server.baseUrl, { provider });
    for (const _ of [...answers, 1, 2, 3]) {
      const { failure } = await run(model, { messages: [user(PROMPT)] });
      expect(failure).toBeDefined();
      const shown = `${inspect(failure, { depth: null, showHidden: true })} ${JSON.stringify(failure)} ${failure?.stack}`;
      for (const hidden of [KEY, HEADER_SECRET, PROMPT]) expect(shown).not.toContain(hidden);
    }
  });
});

it("given a history whose call has no result, when a step is run, then it is refused and nothing is sent", async () => {
  const messages = [
    user(PROMPT),
    { role: "assistant" as const, text: "", toolCalls: [{ id: "a", name: "weather", input: {} }] },
  ];
  const { failure } = await run(modelAt(server.baseUrl), { messages });
  expect(failure).toMatchObject({ reason: "refused", retryable: false });
  expect(inspect(failure)).not.toContain(PROMPT);
  expect(server.requests).toHaveLength(0);
});

it("given a failure, when the next step is run, then the model works as before", async () => {
  server.follow([fails(500), garbage(), cutsAfter("He"), calls([{ name: "nope", arguments: {} }]), says("fine")]);
  const model = modelAt(server.baseUrl);
  for (let step = 1; step <= 4; step++) await run(model);
  expect((await run(model)).response?.text).toBe("fine");
});

const unusedPort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 1;
};
