import { afterEach, describe, expect, it } from "vitest";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import type { LogLine } from "../../fakes/recording-logger.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Roles } from "./delegating.ts";
import { counted, delegates, Held, roles, spawns, startDelegating, subtaskIds, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
let logger: RecordingLogger;
const start = async (played: Roles, limits: Partial<typeof defaultDelegation> = {}) => {
  logger = new RecordingLogger();
  core = await startDelegating(roles(played), { logger, agent: { delegation: { ...defaultDelegation, ...limits } } });
};
afterEach(() => core.dispose());

const line = (message: string, fields: Record<string, unknown> = {}): Promise<LogLine | undefined> => {
  const isIt = (one: LogLine) =>
    one.message === message && Object.entries(fields).every(([name, value]) => one.fields[name] === value);
  return logger.lines.until((lines) => lines.some(isIt)).then((lines) => lines.find(isIt));
};

describe("given the log of delegated work", () => {
  it("when a subtask runs from start to end, then each transition is logged with its ids", async () => {
    const notifies = (type: string) => calls({ name: "notify_owner", input: { type, content: "x" } });
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) =>
        [notifies("status_update"), notifies("error")][outputs.length] ??
        calls({ name: "complete_subtask", input: { status: "success", output: "done" } }),
      continuation: ({ text }) => (text.startsWith("[error") ? "I see" : "in short"),
    });
    const { sessionId, id: replyId } = await core.ask("m-1", "go");
    await untilFinals(core, 3);
    const [subtask] = subtaskIds(core);
    const turnId = replyId.replace("/final", "");
    const plan = { planId: turnId, traceId: "trace-m-1" };
    const owner = { owner: sessionId, ownerType: "agent" };

    expect(await line("delegation started")).toMatchObject({ level: "debug", fields: { agent: "mooring" } });
    expect(await line("subtask created", { subtask })).toMatchObject({
      level: "info",
      fields: { ...plan, turnId, owner: sessionId, depth: 1, reports: "batch" },
    });
    for (const [from, to] of [
      ["pending", "running"],
      ["running", "completed"],
    ]) {
      expect(await line("subtask changed", { subtask, to })).toMatchObject({
        level: "info",
        fields: { ...plan, from, owner: sessionId, depth: 1 },
      });
    }
    for (const type of ["status_update", "error", "completion"]) {
      expect(await line("subtask reported to owner", { subtask, type })).toMatchObject({
        level: "info",
        fields: { ...plan, ...owner, message: expect.stringContaining(`${subtask}/`), priority: expect.any(String) },
      });
    }
    expect(await line("message routed", { subtask, type: "error" })).toMatchObject({
      level: "debug",
      fields: { ...owner, message: expect.stringContaining(`${subtask}/`), traceId: "trace-m-1" },
    });
    expect(await line("turn enqueued", { subtask, type: "wake-up" })).toMatchObject({
      level: "info",
      fields: { ...plan, ...owner, message: expect.stringContaining(`wake/${subtask}`) },
    });
    expect(await line("batch fired")).toMatchObject({ level: "info", fields: { batch: turnId, members: 1 } });
    expect(await line("turn enqueued", { type: "synthesis" })).toMatchObject({
      level: "info",
      fields: { ...plan, ...owner },
    });
    await core.stopCore();
    expect(await line("delegation stopped")).toMatchObject({ level: "debug", fields: { agent: "mooring" } });
  });

  it("when subtasks are stopped at the ceiling, then one warning names all of them", async () => {
    await start({ primary: delegates(["slow"], "on it"), subagent: () => new Held().answer });
    const { sessionId } = await core.ask("m-1", "go");
    await counted(core, "turns_total mooring answered", 1);
    await core.clock.passNext(defaultDelegation.interactiveCeilingMs);
    expect(await line("batch ceiling reached, stopping subtasks")).toMatchObject({
      level: "warn",
      fields: { owner: sessionId, traceId: "trace-m-1", subtasks: subtaskIds(core) },
    });
    await untilFinals(core, 2);
    expect(await line("subtask changed", { to: "cancelled" })).toMatchObject({ level: "info" });
  });

  it("when subtasks or completions are refused, then a warning has the reason", async () => {
    const complete = { name: "complete_subtask", input: { status: "success", output: "x" } };
    await start(
      {
        primary: ({ outputs }) => (outputs.length === 0 ? spawns(["a", "b"]) : "on it"),
        subagent: () => calls(complete, complete),
      },
      { running: 1 },
    );
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    expect(await line("subtasks refused")).toMatchObject({ level: "warn", fields: { count: 1, traceId: "trace-m-1" } });
    expect(await line("completion refused")).toMatchObject({
      level: "warn",
      fields: { subtask: subtaskIds(core)[0], traceId: "trace-m-1", reason: expect.stringContaining("ended already") },
    });
  });
});
