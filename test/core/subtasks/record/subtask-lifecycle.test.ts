import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../../core/contract/app-error.ts";
import { subjectsOf } from "../../../../core/contract/messages/subjects.ts";
import type { Subtask } from "../../../../core/contract/messages/subtask.ts";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import type { Tool } from "../../../../core/contract/tool.ts";
import { changeSubtask } from "../../../../core/subtasks/record/change-subtask.ts";
import { subtaskKey } from "../../../../core/subtasks/record/subtask-record.ts";
import { subtaskIdOf } from "../../../../core/subtasks/run/spawn.ts";
import { turnIdOf } from "../../../../core/turns/record/turn-records.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, type TestOptions, userMessage } from "../../core-under-test.ts";
import type { Roles } from "../delegating.ts";
import {
  counted,
  delegates,
  finals,
  Held,
  roles,
  startDelegating,
  subtask,
  subtaskIds,
  untilFinals,
} from "../delegating.ts";

let core: CoreUnderTest;
const start = async (played: Roles, options: TestOptions = {}) => {
  core = await startDelegating(roles(played), options);
};
afterEach(() => core.dispose());

const shows = ({ text }: { text: string }) => text.slice(text.indexOf("### "));

describe("given a subtask", () => {
  it("when it runs, then each status change is signalled with the whole subtask (S4, S5)", async () => {
    await start({ primary: delegates(["a"], "on it"), subagent: () => "the result" });
    const [changed, ended] = [new Recorder<Subtask>(), new Recorder<Subtask>()];
    const subjects = subjectsOf("default");
    await core.backbone.bus.listen(subjects.subtaskChanged(AGENT), (event) => changed.add(event));
    await core.backbone.bus.listen(subjects.subtaskEnded(AGENT), (event) => ended.add(event));
    await core.receive(userMessage("m-1", "go", { link: "https://chat.example/m-1" }));
    const [announcement] = await untilFinals(core, 2);
    await ended.count(1);
    expect(changed.items.map(({ status }) => status)).toEqual(["pending", "running", "completed"]);
    const turnId = announcement?.id.replace("/final", "");
    expect(ended.items).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^subtask-[0-9a-f]{8}$/),
        name: "a",
        prompt: "do a",
        depth: 1,
        parentTurnId: turnId,
        planId: turnId,
        parentSessionId: announcement?.sessionId,
        owner: { ownerType: "agent", ownerId: announcement?.sessionId, sessionUri: "https://chat.example/m-1" },
        origin: announcement?.origin,
        audience: announcement?.audience,
        status: "completed",
        result: { status: "success", output: "the result" },
        completedAt: expect.any(String),
      }),
    ]);
  });

  it("when another subtask has its id, then it gets a new id, and the other one is unchanged", async () => {
    await start({
      primary: delegates(["a", "b"], "on it"),
      subagent: ({ text }) => `${text} done`,
      continuation: shows,
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const other = await subtask(core, subtaskIds(core)[0] ?? "");
    const turnId = turnIdOf({ tenant: "default", agent: AGENT, id: "m-2" });
    const taken = { ...other, id: subtaskIdOf(`${turnId}/0/0/1`) };
    await core.backbone.store.put(subtaskKey(taken), taken, { ifRevision: 0 });
    await core.receive(userMessage("m-2", "go"));
    const answer = (await untilFinals(core, 4))[3]?.markdown;
    expect(answer).toContain(`(${subtaskIdOf(`${turnId}/0/0/0`)}): completed\ndo a done`);
    expect(answer).toContain(`(${subtaskIdOf(`${turnId}/0/0/1`, 1)}): completed\ndo b done`);
    expect(await subtask(core, taken.id)).toEqual(taken);
  });

  it("when it has ended, then no further transition is allowed (S4)", async () => {
    await start({ primary: delegates(["a"], "on it") });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const address = { tenant: "default", agent: AGENT, id: subtaskIds(core)[0] ?? "" };
    const deps = { ...core.backbone, clock: core.clock, logger: silentLogger, meter: core.meter, checkpoint() {} };
    for (const status of ["pending", "running", "failed", "cancelled"] as const) {
      await expect(changeSubtask(deps, address, (current) => ({ ...current, status }))).rejects.toThrow(AppError);
    }
    expect((await subtask(core, address.id)).status).toBe("completed");
  });

  it("when it runs, then it has its parent's tools without those for people (S5)", async () => {
    const secret: Tool = {
      name: "lookup",
      description: "",
      input: z.object({}),
      needs: "talk",
      repeatable: true,
      run: async () => "x",
    };
    await start({ primary: delegates(["a"], "on it") }, { tools: [secret] });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const offered = core.model.requests.items.map(({ tools }) => tools.map(({ name }) => name));
    const own = offered.find((names) => names.includes("complete_subtask")) ?? [];
    expect(own).toContain("lookup");
    expect(own).toContain("save_to_working_memory");
    expect(own).toContain("notify_owner");
    expect(own).not.toContain("nothing_to_say");
    expect(own).not.toContain("spawn_subtask");
  });

  it("when it is logged, then every line has its ids, and none has its texts", async () => {
    const logger = new RecordingLogger();
    await start({ primary: delegates(["a"], "on it"), subagent: () => "text of the subagent" }, { logger });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const id = subtaskIds(core)[0];
    const lines = logger.lines.items.filter(({ fields }) => fields.subtask === id);
    expect(lines.map(({ message, fields }) => (fields.to ? `${fields.from} → ${fields.to}` : message))).toEqual(
      expect.arrayContaining([
        "subtask created",
        "pending → running",
        "running → completed",
        "subtask reported to owner",
      ]),
    );
    for (const { fields } of lines) expect(fields).toMatchObject({ subtask: id, traceId: "trace-m-1" });
    const all = JSON.stringify(logger.lines.items);
    expect(all).toContain("turn enqueued");
    expect(all).not.toContain("text of the subagent");
    expect(all).not.toContain("do a");
  });
});

describe("given a subagent that does not call complete_subtask", () => {
  it("when it ends without a text, then the subtask fails with a reason (S7)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: () => calls({ name: "notify_owner", input: { type: "status_update", content: "still at it" } }),
      continuation: shows,
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/^### a \(.*\): failed\n.*used all the steps/);
  });

  it("when it exceeds the turn deadline, then the subtask times out (S7)", async () => {
    await start(
      {
        primary: delegates(["a"], "on it"),
        subagent: () => new Held().answer,
        continuation: shows,
      },
      { turnDeadlineMs: 60_000 },
    );
    await core.ask("m-1", "go");
    await core.clock.waits.until((waits) => waits.filter((ms) => ms === 60_000).length >= 2);
    core.clock.advance(60_000);
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/: timed out\nIt was not done in time\.$/);
  });

  it("when its run fails again and again, then the subtask fails with a reason (S7)", async () => {
    let failures = 0;
    await start(
      { primary: delegates(["a"], "on it"), continuation: shows },
      {
        checkpoint: (name) => {
          if (name !== "subtask.claimed") return;
          if (++failures <= 4) throw new Error("out of memory");
        },
      },
    );
    await core.receive(userMessage("m-1", "go"));
    for (const pauseMs of [2, 4, 8, 16]) await core.clock.passNext(pauseMs);
    expect((await untilFinals(core, 2))[1]?.markdown).toContain("It was started 4 times");
    expect(finals(core.replies.items)).toHaveLength(2);
  });
});

describe("given a process that stops while a subtask runs", () => {
  it("when the next process starts, then the subtask resumes from its journal (S11)", async () => {
    const [first, second] = [new Held(), new Held()];
    const runs: string[] = [];
    const work: Tool = {
      name: "work",
      description: "",
      input: z.object({}),
      needs: "talk",
      repeatable: false,
      run: async () => `worked ${runs.push("once")}`,
    };
    let asked = 0;
    await start(
      {
        primary: delegates(["a"], "on it"),
        subagent: ({ outputs }) => {
          if (outputs.length === 0) return calls({ name: "work" });
          return ++asked === 1 ? first.answer : second.answer;
        },
        continuation: shows,
      },
      { tools: [work] },
    );
    await core.ask("m-1", "go");
    await first.asked;
    const stopped = core.stopCore();
    core.clock.advance(10_000);
    await stopped;
    const next = await core.startCore({ tools: [work] });
    await core.clock.passNext(1_000);
    await second.asked;
    second.give("done after all");
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/completed\ndone after all$/);
    expect(runs).toHaveLength(1);
    await counted(core, "subtasks_total mooring completed", 1);
    await next.stop();
  });
});
