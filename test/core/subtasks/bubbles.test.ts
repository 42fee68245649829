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

/** Everything people see once nothing is under way: the next message is answered behind all that came before it. */
const bubbles = async (): Promise<string[]> => {
  await core.ask("last", "", { command: { name: "help", args: "" } });
  return finals(core.replies.items).map(({ markdown, correlationId = "-" }) => `${correlationId} ${markdown}`);
};

describe("given a person's message", () => {
  it("when nothing is delegated, then there is one final (B table)", async () => {
    await start({ primary: () => "the answer" });
    await core.ask("m-1", "hello");
    expect(await bubbles()).toEqual(["m-1 the answer"]);
  });

  it("when subtasks are delegated, then there is an announcement and a consolidated answer (B table)", async () => {
    await start({ primary: delegates(["a", "b", "c"], "on it") });
    await core.receive(userMessage("m-1", "go"));
    await counted(core, "turns_total mooring answered", 2);
    expect(await bubbles()).toEqual(["m-1 on it", "- in short"]);
    expect(completions(core.replies.items)).toHaveLength(1);
  });

  it("when it delegates without a word, then the announcement names the work (B7)", async () => {
    const primary = ({ outputs }: Asked) =>
      outputs.length === 0 ? spawns(["tides", "knots", "ropes"]) : calls({ name: "nothing_to_say" });
    await start({ primary });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    expect(await bubbles()).toEqual(["m-1 Working on: tides, knots and ropes", "- in short"]);
  });

  it("when it says nothing and nothing was delegated, then the wait ends without a bubble (B7)", async () => {
    await start({ primary: () => calls({ name: "nothing_to_say" }) });
    expect(await core.ask("m-1", "hm")).toMatchObject({ markdown: "", outcome: "nothing" });
  });

  it("when a subtask is waited for by the spawn, then the turn's own text is the answer (B2)", async () => {
    await start({
      primary: ({ outputs }) => (outputs.length === 0 ? spawns(["a"], { blocking: true }) : `got ${outputs.join()}`),
      subagent: () => "forty-two",
    });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toMatch(/^got ### a \(subtask-[0-9a-f]{8}\): completed\nforty-two$/);
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(await bubbles()).toHaveLength(1);
  });

  it("when the spawn has waited as long as it may, then the subtask is ended, and the turn goes on (B2)", async () => {
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
    expect(await bubbles()).toHaveLength(1);
  });

  it("when all results are awaited, then the batch dissolves and the turn's own text is the answer (B2)", async () => {
    await start({
      primary: ({ outputs }) =>
        [spawns(["a", "b"]), calls({ name: "await_subtasks" })][outputs.length] ?? `got ${outputs[1]}`,
      subagent: ({ text }) => `done: ${text}`,
    });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toContain("done: do a");
    expect(reply.markdown).toContain("done: do b");
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(await bubbles()).toHaveLength(1);
    expect(core.meter.counts).not.toHaveProperty("batches_total mooring complete");
  });

  it("when one of two is awaited, then the other one stays in the batch (B2)", async () => {
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
    expect(await bubbles()).toEqual(["m-1 half of it", "- slow"]);
  });

  it("when subtasks report alone, then each has a word of its own (S8)", async () => {
    await start({
      primary: delegates(["a", "b"], "on it", { consolidate: false }),
      continuation: ({ text }) => `about ${/### (\w)/.exec(text)?.[1]}`,
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 3);
    const [announcement, ...words] = await bubbles();
    expect(announcement).toBe("m-1 on it");
    expect(words.sort()).toEqual(["- about a", "- about b"]);
  });
});

describe("given a turn of a schedule", () => {
  it("when nothing is delegated, then there is one final (B table)", async () => {
    await start({ primary: () => "the brief" });
    await core.receive(backgroundTask("run-1", "brief me"));
    const [reply] = await untilFinals(core, 1);
    expect(reply).toMatchObject({ origin: { channel: "scheduled", promptSummary: "Morning brief" } });
    expect(await bubbles()).toEqual(["- the brief"]);
  });

  it("when it delegates, then its own text is left out and there is one answer (B1, O5)", async () => {
    await start({ primary: delegates(["a", "b"], "not for people") });
    await core.receive(backgroundTask("run-1", "brief me"));
    const [answer] = await untilFinals(core, 1);
    expect(answer?.origin).toMatchObject({ channel: "scheduled" });
    expect(await bubbles()).toEqual(["- in short"]);
  });

  it("when every spawn is refused, then nothing is left out (B6)", async () => {
    core = await startDelegating(roles({ primary: delegates(["a"], "did it myself") }), {
      agent: { delegation: { ...defaultDelegation, depthBelowOrchestrator: 0 } },
    });
    await core.receive(backgroundTask("run-1", "brief me"));
    await untilFinals(core, 1);
    expect(await bubbles()).toEqual(["- did it myself"]);
  });

  it("when it has nothing to say, then nobody hears anything (B7)", async () => {
    await start({ primary: () => calls({ name: "nothing_to_say" }) });
    await core.receive(backgroundTask("run-1", "brief me"));
    await counted(core, "turns_total mooring nothing", 1);
    expect(await bubbles()).toEqual([]);
  });
});
