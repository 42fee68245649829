import { afterEach, describe, expect, it } from "vitest";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Asked, Roles } from "./delegating.ts";
import {
  backgroundTask,
  counted,
  delegates,
  finals,
  Held,
  roles,
  spawns,
  startDelegating,
  subtask,
  subtaskIds,
  untilBegun,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
const logger = new RecordingLogger();
const start = async (played: Roles, limits: Partial<typeof defaultDelegation> = {}) => {
  core = await startDelegating(roles(played), { logger, agent: { delegation: { ...defaultDelegation, ...limits } } });
};
afterEach(() => core.dispose());

const many = (count: number) => Array.from({ length: count }, (_, n) => `task ${n}`);
/** Makes one response with calls, then answers with their outputs. */
const tries =
  (response: ReturnType<typeof calls>) =>
  ({ outputs }: Asked) =>
    outputs.length === 0 ? response : outputs.join("\n");

describe("given a model that delegates too much", () => {
  it("when it spawns 500 subtasks, then ten are accepted and the refusal names the limit (S9)", async () => {
    await start({ primary: tries(spawns(many(500))), subagent: () => new Held().answer });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown.match(/^- subtask-/gm)).toHaveLength(10);
    expect(reply.markdown).toContain("Refused 490 of 500: at most 10 subtasks may be under way at once");
    const refused = logger.lines.items.find(({ message }) => message === "subtasks refused");
    expect(refused?.fields).toMatchObject({ count: 490, owner: reply.sessionId, traceId: "trace-m-1" });
  });

  it("when ten are running, then another turn of the session is refused (S9)", async () => {
    await start({ primary: tries(spawns(many(10))), subagent: () => new Held().answer });
    await core.ask("m-1", "go");
    expect((await core.ask("m-2", "more")).markdown).toMatch(/^Refused 10 of 10: at most 10/);
    const other = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    expect((await core.ask("m-3", "mine", other)).markdown).toContain("Accepted");
  });

  it("when one turn has started fifty, then further ones are refused (S9)", async () => {
    const primary = ({ outputs }: Asked) =>
      outputs.length < 7 ? spawns(many(8), { blocking: true }) : ((outputs.at(-1) ?? "").split("\n\n").at(-1) ?? "");
    await start({ primary });
    const reply = await core.ask("m-1", "go");
    expect(reply.markdown).toBe("Refused 6 of 8: one request may have 50 subtasks in all.");
    expect(core.meter.counts["subtasks_total mooring completed"]).toBe(50);
  });

  it("when a synthesis delegates again, then the limit of its request applies (S9)", async () => {
    const continuation = ({ outputs }: Asked) => outputs[0] ?? spawns(["c", "d"]);
    await start({ primary: delegates(["a", "b"], "on it"), continuation }, { perTurn: 3 });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toContain("Refused 1 of 2: one request may have 3 subtasks");
    expect((await core.ask("m-2", "go")).markdown).toBe("on it");
  });

  it("when each synthesis delegates again, then the fourth one is refused (S9)", async () => {
    await start({
      primary: delegates(["first"], "on it"),
      continuation: ({ outputs }) => (outputs.length === 0 ? spawns(["again"]) : `${outputs[0]?.slice(0, 8)}`),
    });
    await core.receive(userMessage("m-1", "go"));
    const replies = await untilFinals(core, 5);
    expect(replies.map(({ markdown }) => markdown)).toEqual(["on it", "Accepted", "Accepted", "Accepted", "Refused "]);
  });

  it("when a subtask of a chat spawns, then it has no such tool (S9)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs, request }) =>
        outputs[0] ?? (request.tools.some(({ name }) => name === "spawn_subtask") ? "it could" : spawns(["deeper"])),
      continuation: ({ text }) => text,
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toContain('There is no tool named "spawn_parallel_subtasks"');
  });

  it("when a subtask of a schedule delegates, then its own subtasks cannot delegate (S8, S9)", async () => {
    const depths: string[] = [];
    await start({
      primary: delegates(["outer"], "on it"),
      subagent: ({ text, outputs, request }) => {
        const mayDelegate = request.tools.some(({ name }) => name === "spawn_subtask");
        if (outputs.length === 0) depths.push(`${text.split("\n")[0]?.slice(0, 12)} ${mayDelegate}`);
        if (text === "do outer") return outputs.length === 0 ? spawns(["inner"]) : "waiting for inner";
        return text.startsWith("[results")
          ? `with ${/### (\w+)/.exec(text)?.[1]}: ${text.split("\n").at(-1)}`
          : "inside";
      },
      continuation: ({ text }) => text.split("\n").at(-1) ?? "",
    });
    await core.receive(backgroundTask("run-1", "go"));
    expect((await untilFinals(core, 1))[0]?.markdown).toBe("with inner: inside");
    expect(depths).toEqual(["do outer true", "do inner false", "[results of  true"]);
  });
});

describe("given a model with wrong tool calls", () => {
  it("when arguments are malformed, then each result names the problem and no subtask starts", async () => {
    const bad = calls(
      { name: "spawn_subtask", input: { prompt: "no name" } },
      { name: "spawn_parallel_subtasks", input: { tasks: [] } },
      { name: "spawn_parallel_subtasks", input: { tasks: "three" } },
      { name: "await_subtasks", input: { ids: ["subtask-00000000"] } },
      { name: "message_subtask", input: { id: "subtask-00000000", type: "shout", content: "x" } },
      { name: "cancel_subtask", input: { id: "../../etc" } },
      { name: "cancel_subtask", input: { id: "\u0000" } },
      { name: "cancel_subtask", input: { id: "x".repeat(9_000) } },
      { name: "message_subtask", input: { id: "__proto__", type: "answer", content: "x" } },
      { name: "await_subtasks", input: { ids: ["x".repeat(9_000)] } },
    );
    await start({ primary: ({ outputs }) => (outputs.length === 0 ? bad : outputs.join("\n---\n")) });
    const { markdown } = await core.ask("m-1", "go");
    const answers = markdown.split("\n---\n");
    expect(answers).toHaveLength(10);
    expect(answers.slice(0, 3)).toEqual([1, 2, 3].map(() => expect.stringContaining("The arguments are invalid")));
    expect(answers[3]).toContain("Not your subtasks: subtask-00000000");
    expect(answers[4]).toContain("The arguments are invalid");
    expect(answers[5]).toBe('There is no subtask "../../etc".');
    expect(answers[6]).toBe('There is no subtask "\u0000".');
    expect(answers[7]).toMatch(/The arguments are invalid.*at id$/s);
    expect(answers[8]).toBe('There is no subtask "__proto__".');
    expect(answers[9]).toMatch(/The arguments are invalid.*at ids\[0\]$/s);
    expect(finals(core.replies.items)).toHaveLength(1);
  });

  it("when it cancels, messages or awaits a subtask of another person, then the calls are refused and the subtask continues", async () => {
    const work = new Held();
    let stolen = "";
    await start({
      primary: ({ text, outputs }) => {
        if (text === "mine") return outputs.length === 0 ? spawns(["a"]) : "on it";
        const id = stolen;
        const all = calls(
          { name: "cancel_subtask", input: { id } },
          { name: "message_subtask", input: { id, type: "answer", content: "42" } },
          { name: "await_subtasks", input: { ids: [id] } },
        );
        return outputs.length === 0 ? all : outputs.join("\n");
      },
      subagent: () => work.answer,
    });
    await core.ask("m-1", "mine");
    await work.asked;
    stolen = subtaskIds(core)[0] ?? "";
    await untilBegun(core, stolen);
    const bob = {
      account: { id: "bob", name: "Bob" },
      conversation: { channel: "web", room: "bob", kind: "private" as const },
    };
    const { markdown } = await core.ask("m-2", "theirs", bob);
    expect(markdown.match(/belongs to another person/g)).toHaveLength(2);
    expect(markdown).toContain("Not your subtasks");
    expect(await subtask(core, stolen)).toMatchObject({ status: "running", inbox: [] });
    const notice = await core.ask("m-3", "", { ...bob, command: { name: "cancel", args: stolen } });
    expect(notice).toMatchObject({ kind: "notice", markdown: expect.stringContaining("belongs to another person") });
    expect((await subtask(core, stolen)).status).toBe("running");
  });

  it("when a subtask completes twice or for another subtask, then only its first own completion counts", async () => {
    const complete = (input: object) => ({ name: "complete_subtask", input: { status: "success", ...input } });
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) =>
        outputs.length === 0
          ? calls(complete({ id: "subtask-00000000", output: "for another" }), {
              name: "notify_owner",
              input: { id: "subtask-00000000", type: "status_update", content: "as another" },
            })
          : calls(complete({ output: "first" }), complete({ output: "second" })),
      continuation: ({ text }) => text,
    });
    await core.receive(userMessage("m-1", "go"));
    const answer = (await untilFinals(core, 2))[1]?.markdown ?? "";
    expect(answer).toMatch(/completed\n(first|second)$/);
    const last = JSON.stringify(
      core.model.requests.items.filter(({ tools }) => tools.some(({ name }) => name === "complete_subtask")).at(-1)
        ?.messages,
    );
    expect(last.match(/and cannot report for/g)).toHaveLength(2);
    await counted(core, "subtasks_total mooring completed", 1);
    expect(core.meter.counts["tool_runs_total complete_subtask failed"]).toBe(2);
  });
});

describe("given a subtask that sends too many messages", () => {
  it("when it reports thirty errors and questions, then twenty reach the owner and its work continues (S8)", async () => {
    const reports = calls(
      ...Array.from({ length: 30 }, (_, n) => ({
        name: "notify_owner",
        input: { type: n % 2 === 0 ? "error" : "question", content: `trouble ${n}`, waitSeconds: 0 },
        id: `report-${n}`,
      })),
    );
    let results: readonly string[] = [];
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => {
        results = outputs;
        return outputs.length === 0 ? reports : "done";
      },
      continuation: ({ text }) => (text.startsWith("[results") ? "in short" : calls({ name: "nothing_to_say" })),
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("in short");
    expect(results.filter((output) => output.includes("You have sent 20 messages"))).toHaveLength(10);
  });
});
