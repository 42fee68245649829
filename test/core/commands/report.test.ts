import { afterEach, describe, expect, it } from "vitest";
import { type Report, reportsOf } from "../../../core/commands/report.ts";
import type { MessageFields } from "../../fakes/sample-message.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const command = (name: string, args = "", more: MessageFields = {}): MessageFields => ({
  command: { name, args },
  ...more,
});
const reports = async (): Promise<Report[]> => {
  const found: Report[] = [];
  for await (const { value } of core.backbone.store.list(reportsOf("default"))) found.push(value);
  return found;
};

describe("given an answer of the agent that a person reports (R4)", () => {
  it("when they give a reason, then the report has who, which message, when and why, but no text", async () => {
    core = await CoreUnderTest.start(["a rude answer"]);
    const { id: replyId } = await core.ask("m-1", "hello");
    const answer = await core.ask("m-2", "", command("report", "it is  rude"));
    expect(answer.markdown).toContain("I reported my message");
    expect(await reports()).toEqual([
      expect.objectContaining({
        replyId,
        reason: "it is rude",
        at: "2026-03-10T21:14:05.000Z",
        reporter: { channel: "web", accountId: "ann", name: "Ann", personId: expect.any(String) },
      }),
    ]);
    expect(JSON.stringify(await reports())).not.toContain("a rude answer");
  });

  it("when they press the button, then the report has the text; another account cannot add it", async () => {
    core = await CoreUnderTest.start(["a rude answer"]);
    await core.ask("m-1", "hello");
    const { actions = [] } = await core.ask("m-2", "", command("report"));
    expect(actions).toMatchObject([{ name: "report", label: "Include the message" }]);
    const value = actions[0]?.value ?? "";
    const other = { account: { id: "bob", name: "Bob" } };
    expect((await core.ask("m-3", "", command("report", value, other))).markdown).toContain("no longer stored");
    expect((await reports())[0]?.text).toBeUndefined();
    expect((await core.ask("m-4", "", command("report", value))).markdown).toContain("I added the message");
    expect(await reports()).toMatchObject([{ text: "a rude answer" }]);
  });

  it("when the command is redelivered, then there is one report", async () => {
    core = await CoreUnderTest.start(["a rude answer"]);
    await core.ask("m-1", "hello");
    await core.ask("m-2", "", command("report"));
    await core.receive(userMessage("m-2", "", command("report")), "again");
    await core.ask("m-3", "", command("help"));
    expect(await reports()).toHaveLength(1);
  });

  it.each(["include nothing", "about x", "about unknown/final", `about ${"x".repeat(600)}/final`])(
    "when there is no message, or the argument is %j, then nothing of others is reported",
    async (args) => {
      core = await CoreUnderTest.start([]);
      expect((await core.ask("m-1", "", command("report", args))).markdown).toContain("no message of mine here");
      expect(await reports()).toEqual([]);
    },
  );
});
