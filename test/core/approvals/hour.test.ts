import { afterEach, describe, expect, it } from "vitest";
import { ApprovalsUnderTest, GRANTED, mailTool, ROOM } from "./approvals-under-test.ts";

let approvals: ApprovalsUnderTest;
afterEach(() => approvals.core.dispose());

const ask = (id: string, rest = {}) => approvals.core.ask(id, "send the mail", rest);

describe("given a call that is approved for an hour in a private conversation (T4)", () => {
  it("when the same tool is called within the hour, then it runs at once; afterwards it asks again", async () => {
    approvals = await ApprovalsUnderTest.start();
    await approvals.press(await approvals.ask(), "Approve for an hour");
    expect((await approvals.final()).markdown).toContain("approved by Ann for an hour, done");
    approvals.core.clock.advance(59 * 60_000);
    await ask("m-2");
    expect(approvals.runs.items).toHaveLength(2);
    expect(approvals.requests).toHaveLength(1);
    approvals.core.clock.advance(60_000);
    await ask("m-3");
    expect(approvals.requests).toHaveLength(2);
    expect(approvals.runs.items).toHaveLength(2);
  });

  it("when another person or a room calls it, then it asks", async () => {
    approvals = await ApprovalsUnderTest.start();
    await approvals.press(await approvals.ask(), "Approve for an hour");
    await approvals.final();
    const bob = {
      account: { id: "bob", name: "Bob" },
      conversation: { channel: "web", room: "b", kind: "private" as const },
    };
    await ask("m-2", bob);
    await ask("m-3", { conversation: ROOM });
    expect(approvals.requests).toHaveLength(3);
    expect(approvals.runs.items).toHaveLength(1);
  });

  it("when the definition of the tool changes, then it asks again", async () => {
    approvals = await ApprovalsUnderTest.start();
    await approvals.press(await approvals.ask(), "Approve for an hour");
    await approvals.final();
    await approvals.core.stopCore();
    const approval = { isDestructive: false, definition: "definition-2" };
    const core = await approvals.core.startCore({
      agent: { rights: GRANTED },
      tools: [mailTool(approvals.runs, { approval })],
    });
    await ask("m-2");
    expect(approvals.requests).toHaveLength(2);
    await core.stop();
  });
});

describe("given a destructive tool (T4)", () => {
  it("when it asks in private, then it can be approved only once", async () => {
    approvals = await ApprovalsUnderTest.start({ tool: { approval: { isDestructive: true, definition: "d" } } });
    const request = await approvals.ask();
    expect(request.markdown).toContain("This may destroy or change data.");
    expect(request.actions?.map(({ label }) => label)).toEqual(["Approve", "Deny"]);
    const id = request.id.replace("/request", "");
    expect((await approvals.command(`hour ${id}`)).markdown).toContain("only once");
    await approvals.command(id);
    await approvals.final();
    await ask("m-2");
    expect(approvals.requests).toHaveLength(2);
    expect(approvals.runs.items).toHaveLength(1);
  });
});
