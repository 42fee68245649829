import { afterEach, describe, expect, it } from "vitest";
import { settledOrigin, settleSummary } from "../../../core/intake/prompt-summary.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { type Answer, calls, type Script } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";
import {
  backgroundTask,
  delegates,
  finals,
  Held,
  roles,
  startDelegating,
  untilFinals,
} from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const LONG = `please go through ${"the long list of topics that we spoke of and ".repeat(4)}tell me about tides`;
const isSummary = ({ system }: StepRequest) => system.startsWith("Say in one line");
const summaryRequests = () => core.model.requests.items.filter(isSummary);

/** A session that delegates, and a model that summarises prompts. */
const start = async (line: () => Answer, subagent: () => Answer = () => "done", options: TestOptions = {}) => {
  const others = roles({
    primary: (asked) => (asked.text.startsWith("please") ? delegates(["a"], "on it")(asked) : "fine"),
    subagent,
    continuation: () => "the answer",
  });
  const script: Script = (request) => (isSummary(request) ? line() : others(request));
  core = await startDelegating(script, options);
};
const summaries = async (count: number) =>
  (await untilFinals(core, count)).map(({ origin }) => origin?.promptSummary ?? "");

describe("given a prompt that is longer than an anchor (O4)", () => {
  it("when the first proactive message needs it, then it has a summary by the model", async () => {
    await start(() => "Overview of topics, and tides");
    await core.receive(userMessage("m-1", LONG));
    const [atOnce, later] = await summaries(2);
    expect(atOnce).toMatch(/^please go through the long list .*…$/);
    expect(later).toBe("Overview of topics, and tides");
  });

  it("when the message arrives, then the model is not asked for a summary, and replies already shown do not change", async () => {
    const held = new Held();
    await start(
      () => "Tides",
      () => held.answer,
    );
    const { origin } = await core.ask("m-1", LONG);
    expect(origin?.promptSummary).toMatch(/…$/);
    expect(summaryRequests()).toEqual([]);
    held.give("done");
    await untilFinals(core, 2);
    for (const reply of core.replies.items.filter(({ kind }) => kind !== "final")) {
      expect(reply.origin?.promptSummary).toBe(origin?.promptSummary);
    }
  });

  it("when the same work sends more messages, also after a restart, then they have the same summary, requested once", async () => {
    let asked = 0;
    await start(() => `Line ${++asked}`);
    await core.receive(userMessage("m-1", LONG));
    await untilFinals(core, 2);
    const { sessionId = "", origin, audience } = core.replies.items[0] ?? {};
    if (!origin || !audience) throw new Error("a final has both");
    await core.stopCore();
    const next = await core.startCore();
    const asker = { personId: audience.personId ?? "", accountId: "ann", name: "Ann" };
    const rootTurnId = core.replies.items.find(({ cause }) => cause)?.cause?.rootTurnId ?? "";
    const owner = { ownerType: "agent" as const, ownerId: sessionId ?? "" };
    const synthetic = { type: "synthesis" as const, sessionId: sessionId ?? "", origin, audience, asker, owner };
    await core.receive(
      userMessage("more", "", { synthetic: { ...synthetic, rootTurnId, background: false, data: { subtasks: [] } } }),
    );
    expect((await summaries(3)).slice(1)).toEqual(["Line 1", "Line 1"]);
    expect(summaryRequests()).toHaveLength(1);
    await next.stop();
  });

  it.each([
    ["fails", () => new ModelFailed("overloaded", "busy")],
    ["answers nothing", () => "  "],
    ["answers several lines", () => "one\ntwo"],
    ["answers too much", () => "word ".repeat(30)],
    ["names an address", () => "see https://x.example"],
    ["mentions people", () => "ask @everyone"],
  ])("when the model %s, then the truncated prompt stays", async (_what, line) => {
    await start(line);
    await core.receive(userMessage("m-1", LONG));
    const [cut, later] = await summaries(2);
    expect(later).toBe(cut);
  });

  it("when the model is slow, then the answer waits five seconds for it", async () => {
    const never = new Held();
    await start(() => never.answer);
    await core.receive(userMessage("m-1", LONG));
    await never.asked;
    await core.clock.pass(1, { from: 5_000, to: 5_000 });
    const [cut, later] = await summaries(2);
    expect(later).toBe(cut);
  });

  it("when the model writes the summary after the answer, then the answer is published with it", async () => {
    const held = new Held();
    const ended = new Recorder<string>();
    const checkpoint = (name: string) => {
      if (name === "reply.before") ended.add(name);
    };
    await start(() => held.answer, undefined, { checkpoint });
    await core.receive(userMessage("m-1", LONG));
    await held.asked;
    await ended.count(2);
    for (let n = 0; n < 20; n++) await new Promise(setImmediate);
    expect(finals(core.replies.items)).toHaveLength(1);
    held.give("Tides");
    expect((await summaries(2))[1]).toBe("Tides");
  });

  it("when a turn that need not reply replies, then its message waits for the summary too", async () => {
    const held = new Held();
    const reports = calls({ name: "notify_owner", input: { type: "error", content: "no boat" } });
    let steps = 0;
    await start(
      () => held.answer,
      () => (++steps === 1 ? reports : new Held().answer),
    );
    await core.receive(userMessage("m-1", LONG));
    await held.asked;
    expect(finals(core.replies.items)).toHaveLength(1);
    held.give("Tides");
    expect((await summaries(2))[1]).toBe("Tides");
  });

  it("when the summary has a secret or markup, then it is shown without", async () => {
    await start(() => `"**Use** password=hunter2"`);
    await core.receive(userMessage("m-1", LONG));
    expect((await summaries(2))[1]).toBe("Use password=•••");
  });
});

describe("given two processes that decide at the same time (O4)", () => {
  it("when both have a summary, then the first one stored counts for all", async () => {
    core = await startDelegating(() => "fine");
    const { store } = core.backbone;
    const agent = { tenant: "default", name: "mooring" };
    await Promise.all([settleSummary(store, agent, "t-1", "first"), settleSummary(store, agent, "t-1", "second")]);
    await settleSummary(store, agent, "t-1", "third");
    const origin = { channel: "web", promptSummary: "cut…", startedAt: "2026-03-10T21:14:00.000Z", sessionId: "s-1" };
    const owner = { ownerType: "agent" as const, ownerId: "s-1" };
    const delegationContext = { owner, depth: 0, rootTurnId: "t-1", background: false };
    expect(await settledOrigin(store, agent, { origin, standing: delegationContext })).toEqual({
      ...origin,
      promptSummary: "first",
    });
  });
});

describe("given an anchor that needs no summary (O4)", () => {
  it("when the prompt is short, then the model is not asked", async () => {
    await start(() => "no");
    await core.receive(userMessage("m-1", "please research the tides"));
    expect((await summaries(2))[1]).toBe("please research the tides");
    expect(summaryRequests()).toEqual([]);
  });

  it("when the work is a schedule, then its title is used", async () => {
    await start(() => "no");
    const task = backgroundTask("run-1", LONG);
    const origin = { ...task.synthetic.origin, promptSummary: "A very long title…" };
    await core.receive({ ...task, synthetic: { ...task.synthetic, origin } });
    expect(await summaries(1)).toEqual(["A very long title…"]);
    expect(summaryRequests()).toEqual([]);
  });
});
