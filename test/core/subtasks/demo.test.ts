import { afterEach, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../core/contract/ports/clock.ts";
import { DemoModel } from "../../../core/model/demo/demo-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { completions, untilFinals } from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

it("given the demo model, when a person asks it to research three things, then three subtasks report and one answer is published", async () => {
  const clock: Clock = { ...systemClock, after: (ms, callback) => systemClock.after(ms / 1_000, callback) };
  const model = new DemoModel({ pauseMs: 0, workMs: 1_500 }, { clock });
  core = await CoreUnderTest.start([], { agent: { model } });
  const announcement = await core.ask("m-1", "research lighthouses, tides and knots");
  expect(announcement.markdown).toContain("3 helpers are looking into it");
  const [, answer] = await untilFinals(core, 2);
  expect(answer?.markdown.split("\n").filter((line) => line.startsWith("- "))).toEqual([
    expect.stringMatching(/^- \*\*lighthouses\*\*: The demo model knows only that “lighthouses” has 11 letters/),
    expect.stringMatching(/^- \*\*tides\*\*: /),
    expect.stringMatching(/^- \*\*knots\*\*: /),
  ]);
  const [completion] = completions(await core.replies.until((replies) => completions(replies).length === 1));
  expect(completion?.data).toMatchObject({
    activity: { items: [{ name: "lighthouses", state: "completed", note: "writing it up" }, {}, {}] },
  });
});
