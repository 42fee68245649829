import { beforeEach, describe, expect, it } from "vitest";
import type { IntakeDeps } from "../../../core/intake/intake-deps.ts";
import type { OpenedTurn } from "../../../core/intake/open-turn.ts";
import { decideSummary, settledOrigin, settleSummary, summariseByModel } from "../../../core/intake/prompt-summary.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { Agent } from "../../../core/turns/index.ts";
import type { TurnRecord } from "../../../core/turns/record/index.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import type { Answer } from "../../fakes/scripted-model.ts";
import { ScriptedModel } from "../../fakes/scripted-model.ts";

const AT = "2026-03-10T21:00:00.000Z";

let clock: ManualClock;
let logger: RecordingLogger;
let stopping: AbortController;
let model: ScriptedModel;
beforeEach(() => {
  clock = new ManualClock();
  logger = new RecordingLogger();
  stopping = new AbortController();
  model = new ScriptedModel();
});
const ask = (answer: Answer, text = "please compare the tides") => {
  model.follow([answer]);
  return summariseByModel({ clock, logger, stopping: stopping.signal }, model, text);
};
const never: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

describe("given a prompt that needs a summary by the model (O4)", () => {
  it("then the model is called once, without tools, with the beginning of the prompt and without secrets", async () => {
    const text = `password=hunter2 ${"x".repeat(7_000)}`;
    expect(await ask("Compare the tides", text)).toBe("Compare the tides");
    const [request] = model.requests.items;
    expect(request).toMatchObject({ tools: [], toolChoice: "none", messages: [{ role: "user" }] });
    expect(request?.system).toContain("at most 60 characters");
    const shown = request?.messages[0]?.role === "user" ? request.messages[0].text : "";
    expect(shown).toMatch(/^password=••• x+$/);
    expect(shown.length).toBeLessThanOrEqual(6_000);
    expect(logger.lines.items).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['"Compare the tides"', "Compare the tides"],
    ["  „Compare the tides“.  ", "Compare the tides"],
    ["«Compare» the tides...", "Compare» the tides"],
    ["**Compare** the tides", "Compare the tides"],
    ["www and other words", "www and other words"],
  ])("when the model answers %j, then the summary is %j", async (answer, line) => {
    expect(await ask(answer)).toBe(line);
  });

  it.each([
    ["", "nothing"],
    ['"".', "only marks"],
    ["one\ntwo", "two lines"],
    ["one\rtwo", "two lines, by a carriage return"],
    ["see https://x.example", "an address"],
    ["see www.x.example", "an address without a scheme"],
    ["ask @ann", "a mention"],
    ["<b>tides", "mark-up"],
    ["tides > 3", "a sign of mark-up"],
    ["word ".repeat(30), "more than an anchor shows"],
    [`${" ".repeat(1_001)}tides`, "far too much"],
  ])("when the model answers %j, then there is no summary: %s", async (answer) => {
    expect(await ask(answer)).toBeUndefined();
  });

  it("when the answer has exactly the maximum length, then it is accepted", async () => {
    expect(await ask(`${" ".repeat(995)}tides`)).toBe("tides");
  });

  it("when the model fails, then there is no summary, and the log has the reason", async () => {
    expect(await ask(new ModelFailed("overloaded", "busy"))).toBeUndefined();
    expect(logger.lines.items).toMatchObject([{ level: "warn", fields: { model: "scripted", error: "busy" } }]);
    expect(clock.pending).toBe(0);
  });

  it("when the model takes more than five seconds, then there is no summary", async () => {
    const line = ask(never);
    clock.advance(4_999);
    expect(logger.lines.items).toEqual([]);
    clock.advance(1);
    expect(await line).toBeUndefined();
    expect(logger.lines.items[0]?.fields.error).toBe("no summary within 5000 ms");
  });

  it("when the process stops, then the summary is not decided", async () => {
    const line = ask(never);
    stopping.abort(new Error("stopping"));
    await expect(line).rejects.toThrow("stopping");
    expect(logger.lines.items).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe("given work whose prompt is longer than an anchor (O4)", () => {
  const origin = { channel: "web", promptSummary: "please go through the long…", startedAt: AT, sessionId: "s" };
  const standing = {
    owner: { ownerType: "agent" as const, ownerId: "s" },
    depth: 0,
    rootTurnId: "t",
    background: false,
  };
  const record = (more: object = {}) => ({ origin, standing, ...more }) as unknown as TurnRecord;
  const prompts = [
    { kind: "notice", turnId: "t", text: "not a prompt" },
    { kind: "turn", turnId: "t0", text: "another prompt" },
    { kind: "turn", turnId: "t", text: "the long prompt" },
  ];
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore(clock);
  });
  const named = { tenant: "default", name: "mooring" };
  const decide = (one = record(), entries: object[] = prompts) =>
    decideSummary(
      { clock, logger, stopping: stopping.signal, store } as unknown as IntakeDeps,
      { ...named, model } as unknown as Agent,
      { record: one, window: { entries } } as unknown as OpenedTurn,
    );
  const shown = async (one = record()) => (await settledOrigin(store, named, one)).promptSummary;

  it("then the model summarises the first prompt of the work once, and every anchor shows its line", async () => {
    model.follow(["Compare the tides", "another line"]);
    await decide();
    await decide();
    expect(model.requests.items.map(({ messages }) => messages)).toEqual([[{ role: "user", text: "the long prompt" }]]);
    expect(await shown()).toBe("Compare the tides");
    expect(await settledOrigin(store, named, record())).toEqual({ ...origin, promptSummary: "Compare the tides" });
  });

  it("when nothing is decided, then the anchor shows the beginning of the prompt", async () => {
    expect(await settledOrigin(store, named, record())).toEqual(origin);
  });

  it("when the model has no line, or the prompt is missing from the session, then that beginning is the decision", async () => {
    model.follow(["", "a late line"]);
    await decide();
    await decide();
    expect(await shown()).toBe(origin.promptSummary);
    await decide(record({ standing: { ...standing, rootTurnId: "t9" } }), prompts);
    expect(model.requests.items).toHaveLength(1);
    expect(await shown(record({ standing: { ...standing, rootTurnId: "t9" } }))).toBe(origin.promptSummary);
  });

  it("when the prompt is shown whole, or a schedule started the work, then the model is not asked", async () => {
    await settleSummary(store, named, "t", "a line");
    const short = record({ origin: { ...origin, promptSummary: "… tides" } });
    const scheduled = record({ standing: { ...standing, background: true } });
    for (const one of [short, scheduled]) {
      await decide(one);
      expect(await shown(one)).toBe(one.origin.promptSummary);
    }
    expect(model.requests.items).toEqual([]);
  });

  it("when two lines are decided at the same time, then the first one counts", async () => {
    await settleSummary(store, named, "t", "first");
    await settleSummary(store, named, "t", "second");
    expect(await shown()).toBe("first");
  });
});
