import { afterEach, describe, expect, it } from "vitest";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
import { completions, delegates, roles, startDelegating, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

describe("given a turn that delegates three subtasks", () => {
  it("when all have ended, then there is one announcement and one consolidated answer (B1, B2, O2)", async () => {
    core = await startDelegating(
      roles({
        primary: delegates(["a", "b", "c"], "I am on it"),
        subagent: ({ text }) => `result of ${text}`,
        continuation: ({ text }) => `together: ${[...text.matchAll(/result of do (\w)/g)].map(([, x]) => x).join()}`,
      }),
    );
    await core.receive(userMessage("m-1", "research a, b and c"));
    const [announcement, answer] = await untilFinals(core, 2);
    await core.replies.until((replies) => completions(replies).length === 1);
    expect(announcement).toMatchObject({ markdown: "I am on it", correlationId: "m-1" });
    expect(answer).toMatchObject({ markdown: "together: a,b,c", origin: announcement?.origin });
    expect(answer).not.toHaveProperty("correlationId");
  });
});
