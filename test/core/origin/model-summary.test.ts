import { afterEach, describe, expect, it } from "vitest";
import { settledOrigin, settleSummary } from "../../../core/intake/prompt-summary.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepRequest } from "../../../core/model/step.ts";
import type { Answer, Script } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { backgroundTask, delegates, Held, roles, startDelegating, untilFinals } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const LONG = `please go through ${"the long list of topics that we spoke of and ".repeat(4)}tell me about tides`;
const isSummary = ({ system }: StepRequest) => system.startsWith("Say in one line");
const summaryRequests = () => core.model.requests.items.filter(isSummary);

/** A session that delegates, and a model that is asked for a line about a prompt. */
const start = async (line: () => Answer, subagent: () => Answer = () => "done") => {
  const others = roles({
    primary: (asked) => (asked.text.startsWith("please") ? delegates(["a"], "on it")(asked) : "fine"),
    subagent,
    continuation: () => "the answer",
  });
  const script: Script = (request) => (isSummary(request) ? line() : others(request));
  core = await startDelegating(script);
};
const summaries = async (count: number) =>
  (await untilFinals(core, count)).map(({ origin }) => origin?.promptSummary ?? "");

describe("given a prompt that is longer than an anchor (O4)", () => {
  it("when the first unsolicited reply needs it, then a line of the model's stands for it", async () => {
    await start(() => "Overview of topics, and tides");
    await core.receive(userMessage("m-1", LONG));
    const [atOnce, later] = await summaries(2);
    expect(atOnce).toMatch(/^please go through the long list .*…$/);
    expect(later).toBe("Overview of topics, and tides");
  });

  it("when it was taken in, then nobody had asked the model for it, and what was shown stays as it was", async () => {
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

  it("when more is said about the same work, also after a restart, then it has the same words, asked for once", async () => {
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
    ["says nothing", () => "  "],
    ["says several lines", () => "one\ntwo"],
    ["says too much", () => "word ".repeat(30)],
    ["names an address", () => "see https://x.example"],
    ["calls somebody", () => "ask @everyone"],
  ])("when the model %s, then the cut text stays", async (_what, line) => {
    await start(line);
    await core.receive(userMessage("m-1", LONG));
    const [cut, later] = await summaries(2);
    expect(later).toBe(cut);
  });

  it("when the model is slow, then the answer waits no longer than a few seconds for it", async () => {
    const never = new Held();
    await start(() => never.answer);
    await core.receive(userMessage("m-1", LONG));
    await never.asked;
    await core.clock.pass(1, { from: 5_000, to: 5_000 });
    const [cut, later] = await summaries(2);
    expect(later).toBe(cut);
  });

  it("when the model's line has a secret or mark-up in it, then it is shown without", async () => {
    await start(() => `"**Use** password=hunter2"`);
    await core.receive(userMessage("m-1", LONG));
    expect((await summaries(2))[1]).toBe("Use password=•••");
  });
});

describe("given two processes that decide at the same time (O4)", () => {
  it("when both have words for it, then those that came first are everybody's", async () => {
    core = await startDelegating(() => "fine");
    const { store } = core.backbone;
    const place = { tenant: "default", name: "mooring" };
    await Promise.all([settleSummary(store, place, "t-1", "first"), settleSummary(store, place, "t-1", "second")]);
    await settleSummary(store, place, "t-1", "third");
    const origin = { channel: "web", promptSummary: "cut…", startedAt: "2026-03-10T21:14:00.000Z", sessionId: "s-1" };
    const owner = { ownerType: "agent" as const, ownerId: "s-1" };
    const delegationContext = { owner, depth: 0, rootTurnId: "t-1", background: false };
    expect(await settledOrigin(store, place, { origin, standing: delegationContext })).toEqual({
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

  it("when it is a schedule's, then its own title stands", async () => {
    await start(() => "no");
    const task = backgroundTask("run-1", LONG);
    const origin = { ...task.synthetic.origin, promptSummary: "A very long title…" };
    await core.receive({ ...task, synthetic: { ...task.synthetic, origin } });
    expect(await summaries(1)).toEqual(["A very long title…"]);
    expect(summaryRequests()).toEqual([]);
  });
});
