import { afterEach, describe, expect, it } from "vitest";
import { systemPrompt } from "../../../core/turns/run-turn.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given what an agent is told in every turn", () => {
  it("when it may be answered late, then it is told to look at what came late (L6)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    await core.ask("m-1", "first");
    await core.ask("m-2", "second");
    const told = core.model.requests.items.map(({ system }) => system.includes('begin with "notifications/"'));
    expect(told).toEqual([true, true]);
  });

  it("when it has no tool whose answer may come late, then nothing is said of it", () => {
    expect(systemPrompt({ name: "clerk", tools: [] }, { summary: "" })).not.toContain("notifications/");
  });
});
