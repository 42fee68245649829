import { afterEach, describe, expect, it } from "vitest";
import { type Feedback, feedbackOfDay } from "../../../core/commands/feedback.ts";
import { dayOf } from "../../../core/contract/ports/clock.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const rate = (args: string, more: MessageFields = {}): MessageFields => ({
  command: { name: "feedback", args },
  ...more,
});
const stored = async (): Promise<Feedback[]> => {
  const found: Feedback[] = [];
  for await (const { value } of core.backbone.store.list(feedbackOfDay(dayOf(core.clock.now()), "default")))
    found.push(value);
  return found;
};

describe("given an answer that a person rates (C5)", () => {
  it("when they rate it with a comment, then operators can read who, which answer and why, but no text of it (R4)", async () => {
    core = await CoreUnderTest.start(["a private answer"]);
    const { id } = await core.ask("m-1", "hello");
    expect((await core.ask("m-2", "", rate(`down ${id} it is  wrong`))).markdown).toContain("Thank you");
    expect(await stored()).toMatchObject([
      {
        replyId: id,
        sessionId: expect.any(String),
        rating: "down",
        comment: "it is  wrong",
        author: { channel: "web", accountId: "ann", name: "Ann" },
      },
    ]);
    expect(JSON.stringify(await stored())).not.toContain("private");
    expect(core.meter.counts["feedback_total mooring down"]).toBe(1);
  });

  it("when they change their mind, then the last rating counts; a duplicate of the first changes nothing", async () => {
    core = await CoreUnderTest.start(["an answer"]);
    const { id } = await core.ask("m-1", "hello");
    await core.ask("m-2", "", rate(`down ${id} bad`));
    core.clock.advance(1_000);
    await core.ask("m-3", "", rate(`up ${id}`));
    await core.receive(userMessage("m-2", "", rate(`down ${id} bad`)), "again");
    await core.ask("m-4", "", { command: { name: "help", args: "" } });
    const [only, ...others] = await stored();
    expect([only, others]).toMatchObject([{ rating: "up" }, []]);
    expect(only?.comment).toBeUndefined();
    core.clock.advance(1_000);
    await core.ask("m-5", "", rate(`none ${id}`));
    expect(await stored()).toMatchObject([{ withdrawn: true }]);
    const counted = ["feedback_total mooring down", "feedback_total mooring up"];
    const takenBack = ["feedback_withdrawn_total mooring down", "feedback_withdrawn_total mooring up"];
    expect([...counted, ...takenBack].map((name) => core.meter.counts[name])).toEqual([1, 1, 1, 1]);
  });

  it.each(["", "up", "up unknown/final", "sideways t-1/final", "up t-00/final"])(
    "when the argument is %j, then nothing is stored",
    async (args) => {
      core = await CoreUnderTest.start(["an answer"]);
      await core.ask("m-1", "hello");
      expect((await core.ask("m-2", "", rate(args))).markdown).toContain("stored no feedback");
      expect(await stored()).toEqual([]);
    },
  );

  it("when another account or another conversation rates it, then nothing is stored", async () => {
    core = await CoreUnderTest.start(["an answer"]);
    const { id } = await core.ask("m-1", "hello");
    const bob = { account: { id: "bob", name: "Bob" } };
    const elsewhere = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    await core.ask("m-2", "", rate(`up ${id}`, bob));
    await core.ask("m-3", "", rate(`up ${id}`, elsewhere));
    expect(await stored()).toEqual([]);
  });
});
