import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { BackboneUnavailable } from "../../../core/contract/app-error.ts";
import type { EndedToolCall } from "../../../core/contract/ports/telemetry.ts";
import type { Tool, ToolContext } from "../../../core/contract/tool.ts";
import type { ToolResult } from "../../../core/model/step.ts";
import { Recorder } from "../../fakes/recorder.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { calls, says } from "../../fakes/scripted-model.ts";
import type { TestOptions } from "../core-under-test.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const runs = new Recorder<{ input: unknown; context: ToolContext }>();
const tool = (name: string, run: Tool["run"], rest: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  input: z.looseObject({}),
  needs: "talk",
  repeatable: false,
  run: (input, context) => {
    runs.add({ input, context });
    return run(input, context);
  },
  ...rest,
});
const start = async (script: Answer[], tools: Tool[], options: TestOptions = {}) => {
  runs.items.length = 0;
  core = await CoreUnderTest.start(script, { tools, ...options });
};
/** The tool results in the n-th request to the model. */
const resultsIn = (request: number): ToolResult[] =>
  core.model.requests.items[request - 1]?.messages.flatMap((message) =>
    message.role === "tool" ? message.results : [],
  ) ?? [];

describe("given a model that calls tools", () => {
  it("when it calls several at once, then they run concurrently and each has one result", async () => {
    let arrived = 0;
    let release = () => {};
    const bothRun = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = async () => {
      if (++arrived === 2) release();
      await bothRun;
      return `run ${arrived}`;
    };
    await start([calls({ name: "a" }, { name: "b" }), "done"], [tool("a", waiting), tool("b", waiting)]);
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "done", outcome: "answered" });
    expect(resultsIn(2).map(({ callId, name }) => [callId, name])).toEqual([
      ["call-0", "a"],
      ["call-1", "b"],
    ]);
    expect(core.meter.counts["tool_runs_total a done"]).toBe(1);
  });

  it("when calls end, then operators get tool, outcome and person of each, without arguments, results and made-up names (R4)", async () => {
    const ended = new Recorder<EndedToolCall>();
    const fail = async () => Promise.reject(new Error("private reason"));
    const round = calls({ name: "a", input: { x: "private" } }, { name: "b" }, { name: "private_name" });
    const tools = [tool("a", async () => "private result", { server: "files" }), tool("b", fail)];
    await start([round, "done"], tools, { toolCalls: { note: (call) => ended.add(call) } });
    await core.ask("m-1", "go");
    const byTool = ended.items.map(({ tool, outcome, server }) => [tool, outcome, server]);
    expect(byTool.sort()).toEqual([
      ["a", "done", "files"],
      ["b", "failed", undefined],
      ["unknown tool", "invalid", undefined],
    ]);
    expect(JSON.stringify(ended.items)).not.toContain("private");
    for (const call of ended.items) expect(call).toMatchObject({ personId: expect.any(String), tenant: "default" });
  });

  it("when a tool runs, then its context has session, turn and origin, and each call has its own idempotency key", async () => {
    await start([calls({ name: "a", input: { x: 1 } }), calls({ name: "a" }), "done"], [tool("a", async () => "ok")]);
    const reply = await core.ask("m-1", "go");
    const turnId = reply.id.replace("/final", "");
    const [first, second] = runs.items;
    expect(first).toMatchObject({
      input: { x: 1 },
      context: { tenant: "default", agent: "mooring", sessionId: reply.sessionId, turnId, origin: reply.origin },
    });
    expect([first?.context.idempotencyKey, second?.context.idempotencyKey]).toEqual([`${turnId}/0/0`, `${turnId}/1/0`]);
  });

  it("when a call is invalid, then its result says why and no tool runs", async () => {
    const strict = tool("strict", async () => "ran", { input: z.object({ x: z.number() }) });
    const wrong = calls(
      { name: "strict", invalid: "no JSON" },
      { name: "unknown" },
      { name: "strict", input: { x: "1" } },
    );
    await start([wrong, "done"], [strict]);
    await core.ask("m-1", "go");
    const results = resultsIn(2);
    expect(results.map(({ failed }) => failed)).toEqual([true, true, true]);
    expect(results[0]?.output).toBe("no JSON");
    expect(results[1]?.output).toContain('no tool named "unknown"');
    expect(results[2]?.output).toContain("The arguments are invalid");
    expect(runs.items).toHaveLength(0);
  });

  it("when a tool throws, then its result has the message and the turn continues", async () => {
    const broken = tool("broken", () => {
      throw new Error("the disk is full");
    });
    await start([calls({ name: "broken" }), "done"], [broken]);
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "done" });
    expect(resultsIn(2)).toEqual([
      { callId: "call-0", name: "broken", output: "the disk is full", failed: true, durationMs: 0 },
    ]);
  });

  it("when the store is unavailable in a repeatable tool, then the turn is retried and the model does not see the failure (F34)", async () => {
    const remind = async () => {
      if (runs.items.length === 1) throw new BackboneUnavailable("writing: no answer from NATS");
      return "scheduled";
    };
    await start([calls({ name: "remind" }), "done"], [tool("remind", remind, { repeatable: true })]);
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "done", outcome: "answered" });
    expect(resultsIn(2)).toEqual([{ callId: "call-0", name: "remind", output: "scheduled", durationMs: 0 }]);
    expect(runs.items.map(({ context }) => context.idempotencyKey)).toEqual(
      Array(2).fill(runs.items[0]?.context.idempotencyKey),
    );
  });

  it("when the store is unavailable in a tool that is not repeatable, then the model gets the failure", async () => {
    const send = async () => {
      throw new BackboneUnavailable("writing: no answer from NATS");
    };
    await start([calls({ name: "send" }), "done"], [tool("send", send)]);
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "done" });
    expect(resultsIn(2)[0]).toMatchObject({ failed: true, output: "writing: no answer from NATS" });
  });

  it("when a tool never returns, then its result is a timeout", async () => {
    await start([calls({ name: "slow" }), "done"], [tool("slow", () => new Promise<string>(() => {}))]);
    const reply = core.ask("m-1", "go");
    await runs.count(1);
    core.clock.advance(60_000);
    expect(await reply).toMatchObject({ markdown: "done" });
    expect(resultsIn(2)[0]).toMatchObject({ failed: true, output: expect.stringContaining("within 60 s") });
    expect(runs.items[0]?.context.signal.aborted).toBe(true);
  });

  it("when the output of a tool is too large, then it is cut and says so", async () => {
    await start([calls({ name: "loud" }), "done"], [tool("loud", async () => "é\u0001".repeat(50_000))]);
    await core.ask("m-1", "go");
    const output = resultsIn(2)[0]?.output ?? "";
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(32_000);
    expect(output).toMatch(/\[cut: \d+ kB, only the beginning is shown\]$/);
  });

  it("when it makes 65 calls at once, then 64 run and the last is refused", async () => {
    await start([calls(...Array.from({ length: 65 }, () => ({ name: "a" }))), "done"], [tool("a", async () => "ok")]);
    await core.ask("m1", "go");
    expect(runs.items).toHaveLength(64);
    expect(resultsIn(2).map(({ failed }) => failed ?? false)).toEqual([...Array(64).fill(false), true]);
    expect(resultsIn(2).at(-1)?.output).toContain("at most 64 calls at once");
  });

  it("when it calls tools in every step, then the last step allows no tools", async () => {
    const again = Array.from({ length: 3 }, () => calls({ name: "a" }));
    await start([...again, "that is all"], [tool("a", async () => "ok")], { agent: { maxToolRounds: 3 } });
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "that is all" });
    expect(core.model.requests.items.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "auto", "none"]);
    expect(runs.items).toHaveLength(3);
  });

  it("when it calls a tool even then, then the tool does not run and the turn fails", async () => {
    await start([calls({ name: "a" }), calls({ name: "a" })], [tool("a", async () => "ok")], {
      agent: { maxToolRounds: 1 },
    });
    expect(await core.ask("m-1", "go")).toMatchObject({
      outcome: "failed",
      markdown: expect.stringContaining("steps"),
    });
    expect(runs.items).toHaveLength(1);
  });

  it("when tools were used, then later turns see their results", async () => {
    await start([calls({ name: "a" }), "done", "again"], [tool("a", async () => "42")]);
    await core.ask("m-1", "go");
    await core.ask("m-2", "and?");
    expect(core.model.requests.items[2]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(resultsIn(3)[0]?.output).toBe("42");
  });
});

describe("given a model with nothing to say (B7)", () => {
  it("when it calls nothing_to_say, then an empty final ends the wait", async () => {
    await start([calls({ name: "nothing_to_say" }), "next"], []);
    expect(await core.ask("m-1", "thanks")).toMatchObject({
      kind: "final",
      markdown: "",
      outcome: "nothing",
      correlationId: "m-1",
    });
    expect(await core.ask("m-2", "hello")).toMatchObject({ markdown: "next" });
    expect(resultsIn(2)).toEqual([{ callId: "call-0", name: "nothing_to_say", output: "ok" }]);
  });

  it("when it calls other tools as well, then those run and the turn continues", async () => {
    await start([calls({ name: "a" }, { name: "nothing_to_say" }), says("done")], [tool("a", async () => "ok")]);
    expect(await core.ask("m-1", "go")).toMatchObject({ markdown: "done", outcome: "answered" });
    expect(runs.items).toHaveLength(1);
  });
});
