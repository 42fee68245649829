import { afterEach, describe, expect, it } from "vitest";
import { ledgerOfDay } from "../../../core/budgets/index.ts";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { countingBackbone } from "../../fakes/counting-backbone.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { calls, type Script, says } from "../../fakes/scripted-model.ts";
import { CoreUnderTest, type TestOptions } from "../core-under-test.ts";

type Rules = NonNullable<NonNullable<TestOptions["agent"]>["budgets"]>;

let core: CoreUnderTest;
const start = async (script: Script, budgets: Rules, options: TestOptions = {}) => {
  core = await CoreUnderTest.start(script, { ...options, agent: { ...options.agent, budgets } });
};
afterEach(() => core.dispose());

const limits = (fields: object) => ({ unattendedShare: 0.9, ...fields });
const visitor: MessageFields = { account: { id: "ann", name: "Visitor", anonymous: true } };
let asked = 0;
const ask = (text = "hello", rest: MessageFields = {}): Promise<AgentReply> => core.ask(`b-${asked++}`, text, rest);
const command = (args: string, rest: MessageFields = {}) => ask("", { ...rest, command: { name: "budget", args } });
const notices = () => core.replies.items.filter(({ kind, correlationId }) => kind === "notice" && !correlationId);

describe("given a person with three turns a day", () => {
  const budgets = { ofAgent: { person: limits({ turnsPerDay: 3 }) } };

  it("when they write a fourth message, then the model is not asked, and the final says which budget is used up and when it renews (R2, B7)", async () => {
    await start(() => "ok", budgets);
    for (let turn = 0; turn < 3; turn++) expect((await ask()).outcome).toBe("answered");
    const refused = await ask();
    expect(core.model.requests.items).toHaveLength(3);
    expect(refused).toMatchObject({ kind: "final", outcome: "failed" });
    expect(refused.markdown).toBe(
      "Your budget for today is used up (3 of 3 turns). It renews at 00:00 UTC, in 2 h 46 min. `/budget` shows what is left.",
    );
  });

  it("when another person writes, then their budget is their own", async () => {
    await start(() => "ok", budgets);
    for (let turn = 0; turn < 4; turn++) await ask();
    const conversation = { channel: "web", room: "room-2", kind: "private" as const };
    expect((await ask("hello", { account: { id: "bob", name: "Bob" }, conversation })).outcome).toBe("answered");
  });

  it("when the process is replaced, then the use counts on", async () => {
    await start(() => "ok", budgets);
    await ask();
    await ask();
    await core.stopCore();
    const next = await core.startCore({ agent: { budgets } });
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).outcome).toBe("failed");
    await next.stop();
  });

  it("when they use half and all of it, then they are warned once each, in their conversation only", async () => {
    await start(() => "ok", budgets);
    await ask();
    await ask();
    await core.replies.until((items) => items.some(({ markdown }) => markdown.includes("50 %")));
    await ask();
    await core.replies.until((items) =>
      items.some(({ markdown, kind }) => kind === "notice" && markdown.includes("used up")),
    );
    await ask();
    expect(notices().map(({ markdown }) => markdown.split(".")[0])).toEqual([
      "You have used 50 % of your budget for today (2 of 3 turns)",
      "Your budget for today is used up (3 of 3 turns)",
    ]);
    expect(notices()[0]?.audience).toEqual({
      conversation: { channel: "web", room: "room-1", kind: "private" },
      personId: null,
      accountId: "ann",
    });
  });

  it("when they go on between two shares, then the warning is not repeated", async () => {
    await start(() => "ok", { ofAgent: { person: limits({ turnsPerDay: 6 }) } });
    for (let turn = 0; turn < 3; turn++) await ask();
    await core.replies.until((items) => items.some(({ markdown }) => markdown.includes("50 %")));
    await ask();
    await core.stopCore();
    expect(notices()).toHaveLength(1);
    const marks: unknown[] = [];
    for await (const { value } of core.backbone.store.list(ledgerOfDay("default", "2026-03-10")))
      marks.push(value.warned);
    expect(marks).toEqual([{ turns: 50 }]);
  });

  it("when they write in a shared room, then only they see the warning", async () => {
    await start(() => "ok", budgets);
    const conversation = { channel: "web", room: "all", kind: "shared" as const };
    await ask("hello", { conversation });
    await ask("hello", { conversation });
    await core.replies.until((items) => items.some(({ markdown }) => markdown.includes("50 %")));
    expect(notices()).toMatchObject([{ onlyFor: "ann" }]);
  });

  it("when they send /budget, then it says what is used, left, and when it renews (I3)", async () => {
    await start(() => "ok", budgets);
    await ask();
    expect((await command("")).markdown).toBe(
      "Used today:\n- 1 of 3 turns, 66 % left\n\nIt renews at 00:00 UTC, in 2 h 46 min.",
    );
  });
});

describe("given tokens and prices", () => {
  it("when the estimate of a request exceeds the rest of the tokens, then the model is not asked", async () => {
    await start(() => ({ ...says("ok"), usage: { inputTokens: 4_000, outputTokens: 500 } }), {
      ofAgent: { person: limits({ tokensPerDay: 10_000 }) },
    });
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).markdown).toContain("9,000 of 10,000 tokens");
    expect(core.model.requests.items).toHaveLength(2);
  });

  it("when a model has a price, then cost is limited; without one it is not", async () => {
    const script = () => ({ ...says("ok"), usage: { inputTokens: 100_000, outputTokens: 100_000 } });
    const ofAgent = { person: limits({ costPerDay: 2 }) };
    await start(script, { ofAgent, prices: { scripted: { input: 3, output: 15 } } });
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).markdown).toContain("(1.80 of 2.00 cost)");
    await core.dispose();
    await start(script, { ofAgent });
    for (let turn = 0; turn < 3; turn++) expect((await ask()).outcome).toBe("answered");
  });
});

describe("given anonymous visitors, members and the whole agent", () => {
  it("when a visitor has used up their budget, then a member is still answered", async () => {
    await start(() => "ok", { ofAgent: { visitor: limits({ turnsPerDay: 1 }) } });
    expect((await ask("hello", visitor)).outcome).toBe("answered");
    expect((await ask("hello", visitor)).outcome).toBe("failed");
    expect((await ask()).outcome).toBe("answered");
  });

  it("when all together have used up the budget of agent or tenant, then its numbers are not shown", async () => {
    await start(() => "ok", { ofTenant: { tenant: limits({ turnsPerDay: 1 }) } });
    await ask();
    const { markdown } = await ask();
    expect(markdown).toContain("The budget of this assistant for today is used up. It renews at 00:00 UTC");
    expect(markdown).not.toContain("1 of 1");
  });

  it("when one limit refuses a message, then the others do not count it", async () => {
    await start(() => "ok", { ofAgent: { person: limits({ turnsPerDay: 4 }), agent: limits({ turnsPerDay: 1 }) } });
    for (let turn = 0; turn < 3; turn++) await ask();
    expect((await command("")).markdown).toContain("- 1 of 4 turns, 75 % left\n- The budget that all people share");
  });

  it("when a member without a budget writes, then no budget is read or written", async () => {
    let reads: string[] = [];
    let writes: string[] = [];
    const wrap: TestOptions["wrap"] = (backbone) => {
      const counting = countingBackbone(backbone);
      ({ reads, writes } = counting);
      return counting;
    };
    await start(() => "ok", { ofAgent: { visitor: limits({ turnsPerDay: 5 }) } }, { wrap });
    await ask();
    expect([...reads, ...writes].filter((name) => name.includes("budget"))).toEqual([]);
  });
});

describe("given a soft limit at half of four turns", () => {
  const budgets = { ofAgent: { person: limits({ turnsPerDay: 4, softShare: 0.5 }) } };

  it("when it is reached, then the final asks by a button; pressing it lets the person go on to the hard limit", async () => {
    await start(() => "ok", budgets);
    await ask();
    await ask();
    const question = await ask();
    expect(question).toMatchObject({
      kind: "final",
      outcome: "failed",
      actions: [{ name: "budget", label: "Continue" }],
    });
    expect(question.markdown).toContain("You have reached 50 % of your budget for today (2 of 4 turns)");
    const value = question.actions?.[0]?.value ?? "";
    const stranger: MessageFields = { account: { id: "bob", name: "Bob" } };
    expect((await command(value, stranger)).markdown).toContain("Only the person whose budget it is, or an operator");
    expect((await ask()).outcome).toBe("failed");
    expect((await command(value)).markdown).toContain("I go on for today");
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).outcome).toBe("answered");
    expect((await ask()).markdown).toContain("used up (4 of 4 turns)");
  });
});

describe("given limits for delegated work", () => {
  const spawns = (count: number) =>
    calls({
      name: "spawn_parallel_subtasks",
      input: { tasks: Array.from({ length: count }, (_, at) => ({ name: `part ${at}`, prompt: "look" })) },
    });
  const delegates: Script = ({ messages, tools }) => {
    if (tools.some(({ name }) => name === "complete_subtask")) return "done";
    const last = messages.at(-1);
    if (last?.role === "tool") return `Told: ${last.results.map(({ output }) => output).join()}`;
    return last?.role === "user" && last.text.startsWith("[") ? "all" : spawns(2);
  };

  it("when a call asks for more subtasks than are left, then it is refused with a text, and nothing is started", async () => {
    await start(delegates, { ofAgent: { person: limits({ subtasksPerDay: 3, unattendedShare: 1 }) } });
    expect((await ask()).markdown).toContain("Accepted");
    expect((await ask()).markdown).toContain("Refused: Your budget for today is used up (2 of 3 subtasks)");
  });

  it("when as many subtasks as allowed are under way, then another is refused until they have ended", async () => {
    await start(delegates, { ofAgent: { person: limits({ subtasksAtOnce: 2 }) } });
    expect((await ask()).markdown).toContain("Accepted");
    await core.replies.until((items) =>
      items.some(({ markdown, correlationId }) => markdown === "all" && !correlationId),
    );
    expect((await ask()).markdown).toContain("Accepted");
    await core.dispose();
    await start(delegates, { ofAgent: { person: limits({ subtasksAtOnce: 1 }) } });
    expect((await ask()).markdown).toContain("Refused: one person may have 1 subtasks under way at once");
  });

  it("when the budget is used up before the synthesis, then people get the raw results and the reason (B3)", async () => {
    await start(delegates, { ofAgent: { person: limits({ turnsPerDay: 1 }) } });
    await ask();
    const [synthesis] = (
      await core.replies.until((items) => items.some(({ kind, correlationId }) => kind === "final" && !correlationId))
    ).filter(({ kind, correlationId }) => kind === "final" && !correlationId);
    expect(synthesis?.markdown).toContain("here they are unedited");
    expect(synthesis?.markdown).toContain("Your budget for today is used up (1 of 1 turns)");
    expect(synthesis?.markdown).toContain("done");
  });
});

describe("given schedules of a person whose budget is nearly used up", () => {
  const schedules =
    (when: string): Script =>
    ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "tool") return last.results.map(({ output }) => output).join();
      if (last?.role !== "user" || !last.text.startsWith("remind")) return "ok";
      return calls({ name: "schedule_task", input: { description: "Tea", prompt: "drink tea", when } });
    };
  const pass = async (ms: number) => {
    await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= ms));
    core.clock.advance(ms);
  };

  it("when a run is due beyond the share of unattended work, then it is skipped and says so, and the person is still answered", async () => {
    await start(
      schedules("every 10 m"),
      { ofAgent: { person: limits({ turnsPerDay: 4, unattendedShare: 0.5 }) } },
      { heldByClock: true },
    );
    await ask("remind me");
    await ask();
    const asked = core.model.requests.items.length;
    await pass(600_000);
    const refused = () => notices().filter(({ markdown }) => markdown.includes("The schedule “Tea” is skipped"));
    await core.replies.until(() => refused().length > 0);
    expect(refused()[0]?.markdown).toContain("Background work has used its part of your budget for today");
    expect(core.model.requests.items).toHaveLength(asked);
    expect((await ask()).outcome).toBe("answered");
  });

  it("when a reminder is refused, then its text is sent all the same", async () => {
    await start(schedules("in 20 s"), { ofAgent: { person: limits({ turnsPerDay: 1 }) } }, { heldByClock: true });
    await ask("remind me");
    await pass(20_000);
    await core.replies.until(() => notices().some(({ markdown }) => markdown.includes("It was: drink tea")));
  });

  it("when as many schedules as allowed are open, then another is refused until one is cancelled", async () => {
    await start(schedules("every 10 m"), { ofAgent: { person: limits({ schedulesAtOnce: 1 }) } });
    const { markdown } = await ask("remind me");
    const [id] = /schedule-[0-9a-f]{8}/.exec(markdown) ?? [];
    expect((await ask("remind me again")).markdown).toContain("Refused: one person may have 1 open schedules");
    await ask("", { command: { name: "schedules", args: `cancel ${id}` } });
    expect((await ask("remind me once more")).markdown).toContain("Scheduled as");
  });
});
