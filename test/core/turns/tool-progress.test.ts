import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool, ToolOutput } from "../../../core/contract/tool.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

let finish: (output: string | ToolOutput) => void;
let report: (note: string) => void;
let isRunning: Promise<void>;

/** A tool whose run the test controls. */
const slow = (): Tool => {
  let begun = () => {};
  isRunning = new Promise((resolve) => {
    begun = resolve;
  });
  return {
    name: "tide__slow",
    description: "Takes long",
    input: z.looseObject({}),
    needs: "tool:tide__slow",
    repeatable: true,
    run: (_, context) =>
      new Promise((resolve) => {
        finish = resolve;
        report = (note) => context.progress?.(note);
        begun();
      }),
  };
};

const start = async (rest: object = {}) => {
  const offered = { tools: [slow()], unavailable: [] };
  const agent = { rights: new Rights({ member: ["tool:*"] }), toolSource: { offer: async () => offered } };
  core = await CoreUnderTest.start([calls({ name: "tide__slow" }), "done"], { agent, ...rest });
  const answer = core.ask("m-1", "when is high tide?");
  await isRunning;
  return { answer };
};
const shown = () =>
  core.replies.items.filter(({ kind }) => kind !== "final").map(({ kind, markdown }) => [kind, markdown]);

describe("given a long tool call that reports progress (T2)", () => {
  it("when it runs for more than a second, then the person who waits sees one entry that is updated and ends", async () => {
    const { answer } = await start();
    report("25 %, part 1");
    report("50 %, part 2");
    core.clock.advance(1_000);
    await core.replies.until((replies) => replies.length === 1);
    report("75 %, part 3");
    core.clock.advance(2_000);
    await core.replies.until((replies) => replies.length === 2);
    finish("high at noon");
    await answer;
    expect(shown()).toEqual([
      ["progress", "Using tide__slow\n- tide__slow: working (50 %, part 2)"],
      ["progress", "Using tide__slow\n- tide__slow: working (75 %, part 3)"],
      ["completion", "Used tide__slow\n- tide__slow: done"],
    ]);
    const entries = core.replies.items.flatMap(({ data }) =>
      data?.activity ? [(data.activity as { id: string }).id] : [],
    );
    expect(new Set(entries).size).toBe(1);
  });

  it("when it ends within a second, then only the answer is shown", async () => {
    const { answer } = await start();
    report("25 %");
    finish("high at noon");
    await answer;
    expect(shown()).toEqual([]);
  });

  it("when answers are moderated, then notes of tools are not shown", async () => {
    const moderator = { checksAnswers: true, checksMessages: false, check: async () => ({ allowed: true }) };
    const { answer } = await start({ moderator });
    report("25 %");
    core.clock.advance(5_000);
    finish("high at noon");
    await answer;
    expect(shown()).toEqual([]);
  });
});
