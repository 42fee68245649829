import { afterEach, describe, expect, it } from "vitest";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Asked, Roles } from "./delegating.ts";
import {
  backgroundTask,
  completions,
  counted,
  delegates,
  finals,
  Held,
  roles,
  spawns,
  startDelegating,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
const start = async (played: Roles) => {
  core = await startDelegating(roles(played));
};
afterEach(() => core.dispose());

/** All finals, read after a last message in the same conversation, which is answered after all earlier work. */
const allFinals = async (): Promise<string[]> => {
  await core.ask("last", "", { command: { name: "help", args: "" } });
  return finals(core.replies.items).map(({ markdown, correlationId = "-" }) => `${correlationId} ${markdown}`);
};

describe("given a person's message", () => {
  it("when nothing is delegated, then one final is published (B table)", async () => {
    await start({ primary: () => "the answer" });
    await core.ask("m-1", "hello");
    expect(await allFinals()).toEqual(["m-1 the answer"]);
  });

  it("when it delegates subtasks, then an announcement and one consolidated answer are published (B table)", async () => {
    await start({ primary: delegates(["a", "b", "c"], "on it") });
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 2);
    expect(await allFinals()).toEqual(["m-1 on it", "- in short"]);
    expect(completions(core.replies.items)).toHaveLength(1);
  });

  it("when the turn delegates without a text, then the announcement names the subtasks (B7)", async () => {
    const primary = ({ outputs }: Asked) =>
      outputs.length === 0 ? spawns(["tides", "knots", "ropes"]) : calls({ name: "nothing_to_say" });
    await start({ primary });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    expect(await allFinals()).toEqual(["m-1 Working on: tides, knots and ropes", "- in short"]);
  });

  it("when its asker reads German, then the announcement is in German (U3)", async () => {
    const primary = ({ outputs }: Asked) =>
      outputs.length === 0 ? spawns(["tides", "knots"]) : calls({ name: "nothing_to_say" });
    await start({ primary });
    await core.receive(userMessage("m-1", "go", { account: { id: "ann", name: "Ann", locale: "de" } }));
    await untilFinals(core, 2);
    expect((await allFinals())[0]).toBe("m-1 In Arbeit: tides und knots");
  });

  it("when the model calls nothing_to_say and has not delegated, then an empty final ends the wait (B7)", async () => {
    await start({ primary: () => calls({ name: "nothing_to_say" }) });
    expect(await core.ask("m-1", "hm")).toMatchObject({ markdown: "", outcome: "nothing" });
  });

  it("when the spawn is blocking, then the text of the turn is the only final (B2)", async () => {
    await start({
      primary: ({ outputs }) => (outputs.length === 0 ? spawns(["a"], { blocking: true }) : `got ${outputs.join()}`),
      subagent: () => "forty-two",
    });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toMatch(/^got ### a \(subtask-[0-9a-f]{8}\): completed\nforty-two$/);
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(await allFinals()).toHaveLength(1);
  });

  it("when a blocking spawn reaches the ceiling, then its subtask is cancelled and the turn continues (B2)", async () => {
    const slow = new Held();
    await start({
      primary: ({ outputs }) => outputs[0] ?? spawns(["slow"], { blocking: true }),
      subagent: () => slow.answer,
    });
    const asking = core.ask("m-1", "go");
    await slow.asked;
    await core.clock.waits.until((waits) => waits.includes(3_000));
    core.clock.advance(defaultDelegation.interactiveCeilingMs);
    expect((await asking).markdown).toMatch(/^### slow \(.*\): timed out\n/);
    await counted(core, "subtasks_total mooring cancelled", 1);
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(await allFinals()).toHaveLength(1);
  });

  it("when await_subtasks returns all results, then the batch never fires and the text of the turn is the only final (B2)", async () => {
    await start({
      primary: ({ outputs }) =>
        [spawns(["a", "b"]), calls({ name: "await_subtasks" })][outputs.length] ?? `got ${outputs[1]}`,
      subagent: ({ text }) => `done: ${text}`,
    });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toContain("done: do a");
    expect(reply.markdown).toContain("done: do b");
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(await allFinals()).toHaveLength(1);
    expect(core.meter.counts).not.toHaveProperty("batches_total mooring complete");
  });

  it("when await_subtasks returns one of two results, then the other subtask stays in the batch (B2)", async () => {
    const slow = new Held();
    const first = (outputs: readonly string[]) => /subtask-[0-9a-f]{8}(?=: quick)/.exec(outputs[0] ?? "")?.[0];
    await start({
      primary: ({ outputs }) =>
        [spawns(["quick", "slow"]), calls({ name: "await_subtasks", input: { ids: [first(outputs)] } })][
          outputs.length
        ] ?? "half of it",
      subagent: ({ text }) => (text === "do slow" ? slow.answer : "done"),
      continuation: ({ text }) => [...text.matchAll(/### (\w+)/g)].map(([, name]) => name).join(),
    });
    await core.ask("m-1", "go");
    slow.give("done at last");
    await untilFinals(core, 2);
    expect(await allFinals()).toEqual(["m-1 half of it", "- slow"]);
  });

  it("when subtasks report alone, then each result gets its own final (S8)", async () => {
    await start({
      primary: delegates(["a", "b"], "on it", { consolidate: false }),
      continuation: ({ text }) => `about ${/### (\w)/.exec(text)?.[1]}`,
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 3);
    const [announcement, ...reports] = await allFinals();
    expect(announcement).toBe("m-1 on it");
    expect(reports.sort()).toEqual(["- about a", "- about b"]);
  });
});

describe("given a turn that a schedule started", () => {
  it("when nothing is delegated, then one final is published (B table)", async () => {
    await start({ primary: () => "the brief" });
    await core.receive(backgroundTask("run-1", "brief me"));
    const [reply] = await untilFinals(core, 1);
    expect(reply).toMatchObject({ origin: { channel: "scheduled", promptSummary: "Morning brief" } });
    expect(await allFinals()).toEqual(["- the brief"]);
  });

  it("when it delegates, then its own text is suppressed and one consolidated answer is published (B1, O5)", async () => {
    await start({ primary: delegates(["a", "b"], "not for people") });
    await core.receive(backgroundTask("run-1", "brief me"));
    const [answer] = await untilFinals(core, 1);
    expect(answer?.origin).toMatchObject({ channel: "scheduled" });
    expect(await allFinals()).toEqual(["- in short"]);
  });

  it("when every spawn is refused, then its own text is published (B6)", async () => {
    core = await startDelegating(roles({ primary: delegates(["a"], "did it myself") }), {
      agent: { delegation: { ...defaultDelegation, depthBelowOrchestrator: 0 } },
    });
    await core.receive(backgroundTask("run-1", "brief me"));
    await untilFinals(core, 1);
    expect(await allFinals()).toEqual(["- did it myself"]);
  });

  it("when the model calls nothing_to_say, then no final is published (B7)", async () => {
    await start({ primary: () => calls({ name: "nothing_to_say" }) });
    await core.receive(backgroundTask("run-1", "brief me"));
    await counted(core, "turns_total mooring nothing", 1);
    expect(await allFinals()).toEqual([]);
  });
});
