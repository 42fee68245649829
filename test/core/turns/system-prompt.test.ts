import { afterEach, describe, expect, it } from "vitest";
import { systemPrompt } from "../../../core/turns/run-turn.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given the system prompt of an agent", () => {
  it("when it has tools whose results may be late, then the prompt mentions notifications in every turn (L6)", async () => {
    core = await CoreUnderTest.start(["one", "two"]);
    await core.ask("m-1", "first");
    await core.ask("m-2", "second");
    const mentions = core.model.requests.items.map(({ system }) => system.includes('begin with "notifications/"'));
    expect(mentions).toEqual([true, true]);
  });

  it("when it has no such tool, then the prompt does not mention notifications", () => {
    expect(systemPrompt({ name: "clerk", tools: [] }, { summary: "" })).not.toContain("notifications/");
  });
});
