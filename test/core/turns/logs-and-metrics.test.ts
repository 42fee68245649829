import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../../../core/contract/tool.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const CANARY = "canary-5f3c";
const tool: Tool = {
  name: "look",
  description: "look",
  input: z.looseObject({}),
  needs: "talk",
  repeatable: true,
  run: async () => {
    throw new Error(`output ${CANARY}`);
  },
};

describe("given an operator who reads logs and metrics (U4)", () => {
  it("when turns succeed or fail, then every line has its trace id and no line has texts of people, tools or models", async () => {
    const logger = new RecordingLogger();
    core = await CoreUnderTest.start(
      [calls({ name: "look", input: { q: CANARY } }), `answer ${CANARY}`, new ModelFailed("refused", "no")],
      { logger, tools: [tool], agent: { directives: CANARY } },
    );
    const answered = await core.ask("m-1", `question ${CANARY}`, { account: { id: "ann", name: CANARY } });
    await core.ask("m-2", "again");
    await core.stopCore();
    // Start and stop are logged at debug level.
    const lines = logger.lines.items.filter(({ level }) => level !== "debug");
    expect(lines.map(({ level, message, fields }) => [level, message, fields.traceId])).toEqual([
      ["info", "tool ran", "trace-m-1"],
      ["info", "turn ended", "trace-m-1"],
      ["warn", "model failed", "trace-m-2"],
      ["info", "turn ended", "trace-m-2"],
    ]);
    expect(lines[1]?.fields).toMatchObject({
      turnId: answered.id.replace("/final", ""),
      outcome: "answered",
    });
    expect(JSON.stringify(logger.lines.items)).not.toContain(CANARY);
  });

  it("when turns run, then turns, steps, tokens and tool runs are counted by outcome", async () => {
    core = await CoreUnderTest.start([calls({ name: "look" }), "answer", new ModelFailed("refused", "no")], {
      tools: [tool],
    });
    await core.ask("m-1", "question");
    await core.ask("m-2", "again");
    await core.stopCore();
    expect(core.meter.counts).toEqual({
      "turns_total mooring answered": 1,
      "turns_total mooring failed": 1,
      "turn_seconds mooring": 2,
      "model_steps_total scripted answered": 2,
      "model_steps_total scripted refused": 1,
      "model_step_seconds scripted": 3,
      "model_tokens_total scripted input": 20,
      "model_tokens_total scripted output": 10,
      "tool_runs_total look failed": 1,
      "tool_run_seconds look": 1,
    });
  });
});
