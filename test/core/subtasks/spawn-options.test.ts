import { afterEach, describe, expect, it } from "vitest";
import { subjectsOf } from "../../../core/contract/messages/subjects.ts";
import { overlapText } from "../../../core/subtasks/owner/target-files.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { calls, ScriptedModel } from "../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, type TestOptions } from "../core-under-test.ts";
import {
  type Asked,
  delegates,
  Held,
  type Roles,
  roles,
  spawns,
  startDelegating,
  subtask,
  subtaskIds,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
const start = async (played: Roles, options: TestOptions = {}) => {
  core = await startDelegating(roles(played), options);
};
afterEach(() => core.dispose());

const tries =
  (response: ReturnType<typeof calls>) =>
  ({ outputs }: Asked) =>
    outputs.length === 0 ? response : outputs.join("\n");

describe("given a limit of subtasks per minute", () => {
  const delegation = { ...defaultDelegation, perMinute: 3 };

  it("when a session starts more, then the rest is refused until the minute is over, also for later turns (S9)", async () => {
    await start({ primary: tries(spawns(["a", "b"], { blocking: true })) }, { agent: { delegation } });
    expect((await core.ask("m-1", "go")).markdown).not.toContain("Refused");
    core.clock.advance(10_000);
    const { markdown } = await core.ask("m-2", "go");
    expect(markdown).toContain("Refused 1 of 2: at most 3 subtasks may be started within a minute");
    expect(markdown).toContain("can start in 50 s");
    core.clock.advance(50_001);
    expect((await core.ask("m-3", "go")).markdown).not.toContain("Refused");
  });
});

describe("given other models for subtasks", () => {
  it("when a spawn names one, then the subtask runs on it and the others on the agent's own (S5)", async () => {
    const fast = new ScriptedModel(() => "by the fast one");
    const named = calls({
      name: "spawn_parallel_subtasks",
      input: {
        tasks: [
          { name: "a", prompt: "do a", model: "fast" },
          { name: "b", prompt: "do b" },
        ],
        blocking: true,
      },
    });
    const options = { agent: { subtaskModels: { fast } } };
    await start({ primary: tries(named), subagent: () => "by the agent's own" }, options);
    const { markdown } = await core.ask("m-1", "go");
    expect(markdown).toContain("by the fast one");
    expect(markdown).toContain("by the agent's own");
    expect(fast.requests.items).toHaveLength(1);
    const tool = core.model.requests.items[0]?.tools.find(({ name }) => name === "spawn_subtask");
    expect(tool?.description).toContain("Models for subtasks: fast.");
  });

  it.each([
    [{ fast: new ScriptedModel(["-"]) }, "use one of fast, or none"],
    [{}, "leave model out: there is no other"],
  ])(
    "when a spawn names an unknown one, then nothing starts and the result says what to do (S5)",
    async (subtaskModels, advice) => {
      const named = calls({ name: "spawn_subtask", input: { name: "a", prompt: "do a", model: "huge" } });
      await start({ primary: tries(named) }, { agent: { subtaskModels } });
      expect((await core.ask("m-1", "go")).markdown).toBe(
        `There is no model "huge" for subtasks; ${advice}. No subtask was started.`,
      );
    },
  );
});

describe("given subtasks that announce the files they change", () => {
  const spawn = (name: string, ...targetFiles: string[]) =>
    calls({ name: "spawn_subtask", input: { name, prompt: `do ${name}`, targetFiles } });

  it("when two running ones overlap, then the owner learns which ones and which files (S6)", async () => {
    const primary = ({ text, outputs }: Asked) =>
      outputs.join("\n") ||
      (text === "first" ? spawn("a", "src/lib", "README.md") : spawn("b", "./src/lib//x.ts", "docs"));
    await start({ primary, subagent: () => new Held().answer });
    expect((await core.ask("m-1", "first")).markdown).not.toContain("same files");
    const { markdown } = await core.ask("m-2", "second");
    expect(markdown).toMatch(/- subtask-\w+ \(b\) and subtask-\w+ \(a\): src\/lib\/x\.ts\n/);
    expect(markdown).not.toContain("README");
  });

  it("when the other one has ended, then nothing is said (S6)", async () => {
    const primary = ({ outputs }: Asked) => outputs.join("\n") || spawn("a", "src");
    await start({ primary });
    await core.ask("m-1", "first");
    await untilFinals(core, 2);
    expect((await core.ask("m-2", "second")).markdown).not.toContain("same files");
  });

  it("when several start together, then each pair is named once (S6)", async () => {
    await start({ primary: () => "ok" });
    const members = ["a", "b", "c"].map((id) => ({ id, name: id, targetFiles: id === "c" ? ["y"] : ["x"] }));
    expect(overlapText(members, members)?.match(/^- .*$/gm)).toEqual(["- a (a) and b (b): x"]);
    expect(overlapText(members, [])).toBeUndefined();
  });
});

describe("given a subtask that reports progress", () => {
  const notifies = (content: string) => calls({ name: "notify_owner", input: { type: "status_update", content } });
  const contextOf = (core: CoreUnderTest, text: string) => {
    const messages = core.model.requests.items.flatMap((request) => request.messages);
    const found = messages.findLast((message) => message.role === "user" && message.text === text);
    return found?.role === "user" ? (found.context ?? "") : "";
  };

  it("when its owner takes the next turn, then the prompt has the latest progress and no turn was started for it (S6)", async () => {
    const thinking = new Held();
    await start({
      primary: (asked) => (asked.text === "go" ? delegates(["a"], "on it")(asked) : "soon"),
      subagent: ({ outputs }) => [notifies("looking"), notifies("half way")][outputs.length] ?? thinking.answer,
    });
    await core.ask("m-1", "go");
    await thinking.asked;
    const before = core.replies.items.filter(({ kind }) => kind === "final").length;
    await core.ask("m-2", "how is it going?");
    expect(contextOf(core, "how is it going?")).toMatch(/\n\[status_update from subtask-\w+ "a"\] half way$/);
    expect(before).toBe(1);
    thinking.give("done");
    await untilFinals(core, 3);
    await core.ask("m-3", "and now?");
    expect(contextOf(core, "and now?")).not.toContain("status_update");
  });

  it("when its owner is in a turn with tools, then the next step has it after the tool result (S6)", async () => {
    const thinking = new Held();
    let step = 0;
    await start({
      primary: ({ outputs }) => {
        if (step++ === 0) return spawns(["a"]);
        if (outputs.length === 1) return calls({ name: "await_subtasks", input: { timeoutSeconds: 1 } });
        return outputs.at(-1) ?? "";
      },
      subagent: ({ outputs }) => (outputs.length === 0 ? notifies("half way") : thinking.answer),
    });
    const answer = core.ask("m-1", "go");
    await thinking.asked;
    await core.clock.pass(1, { from: 1_000, to: 1_000 });
    expect((await answer).markdown).toMatch(/Still running: .*\n\n\[status_update from subtask-\w+ "a"\] half way$/);
    thinking.give("done");
  });
});

describe("given a message to an owner whose agent no process runs", () => {
  it("when the agent starts again, then the message was queued and its owner gets it (S3)", async () => {
    const thinking = new Held();
    await start({
      primary: delegates(["a"], "on it"),
      subagent: () => thinking.answer,
      continuation: ({ text }) => (text.startsWith("[error") ? `got: ${text.split("\n")[1]}` : "all done"),
    });
    await core.ask("m-1", "go");
    await thinking.asked;
    const [running = ""] = subtaskIds(core);
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    const { tenant, agent, id, owner, planId, parentTurnId: turnId, traceId } = await subtask(core, running);
    const message = {
      id: `${id}/away`,
      timestamp: "2026-03-10T21:14:05.000Z",
      priority: "normal" as const,
      subtask: { tenant, agent, id },
      owner,
      planId,
      turnId,
      traceId,
      type: "error" as const,
      content: "the door is locked",
    };
    await core.backbone.bus.publish(subjectsOf("default").subtaskMessage(AGENT), message, { id: message.id, key: "k" });
    await core.startCore();
    expect((await untilFinals(core, 2)).some(({ markdown }) => markdown === "got: the door is locked")).toBe(true);
    thinking.give("done");
  });
});
