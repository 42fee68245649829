import { afterEach, describe, expect, it } from "vitest";
import { blockAccount } from "../../../core/rights/index.ts";
import { Rights } from "../../../core/rights/rights.ts";
import { ApprovalsUnderTest, idOf, mailTool, ROOM, TOOL } from "./approvals-under-test.ts";

let approvals: ApprovalsUnderTest;
afterEach(() => approvals.core.dispose());

/** How long `status` gathers the running turns of all processes. */
const GATHER_MS = 150;
const BOB = { id: "bob", name: "Bob" };
const OLGA = { id: "olga", name: "Olga" };
const TOOLS = "tool:mail__*" as const;
const inRoom = { conversation: ROOM };
const ownRoom = (name: string) => ({ conversation: { channel: "web", room: name, kind: "private" as const } });

describe("given a request in a shared room (T4, R1)", () => {
  it("when another member presses, then only that member sees a refusal and nothing is decided", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask("m-1", inRoom);
    expect(request.audience.conversation).toEqual(ROOM);
    expect(request.actions?.map(({ label }) => label)).toEqual(["Approve", "Deny"]);
    for (const label of ["Approve", "Deny"]) {
      const refusal = await approvals.press(request, label, { account: BOB });
      expect(refusal).toMatchObject({ onlyFor: "bob" });
      expect(refusal.markdown).toContain("you cannot decide this one");
    }
    expect((await approvals.command(`hour ${idOf(request)}`, inRoom)).markdown).toContain("only once");
    expect(approvals.runs.items).toEqual([]);
    expect((await approvals.press(request, "Approve")).markdown).toContain("Approved.");
    await approvals.runs.count(1);
  });

  it("when an operator presses, then it runs with the rights of the asker", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask("m-1", inRoom);
    await approvals.press(request, "Approve", { account: OLGA });
    expect((await approvals.final()).markdown).toContain("approved by Olga, done");
    expect(approvals.runs.items[0]?.context.asker.name).toBe("Ann");
  });

  it("when a member with the right `approve` presses from another thread of the room, then it counts", async () => {
    const rights = new Rights({ member: ["default", TOOLS], "web:bob": ["approve"] });
    approvals = await ApprovalsUnderTest.start({ agent: { rights } });
    const request = await approvals.ask("m-1", { conversation: { ...ROOM, thread: "t-1" } });
    await approvals.press(request, "Approve", { account: BOB, ...inRoom });
    expect((await approvals.final()).markdown).toContain("approved by Bob");
  });

  it("when a person names the request from another conversation, then it is unknown there (D3)", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask("m-1", inRoom);
    const elsewhere = { conversation: { ...ROOM, room: "room-7" } };
    expect((await approvals.press(request, "Approve", { account: OLGA, ...elsewhere })).markdown).toContain(
      "no such request here",
    );
    expect((await approvals.command("", { account: OLGA, ...elsewhere })).markdown).toBe(
      "No call waits for an approval here.",
    );
    expect((await approvals.command("", { account: BOB, ...inRoom })).markdown).toContain(`May I run \`${TOOL}\`?`);
  });
});

describe("given a request in a private conversation (T4, D3)", () => {
  it("when an operator presses elsewhere, then the request is unknown and never listed", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    const olga = { account: OLGA, ...ownRoom("olga-1") };
    expect((await approvals.press(request, "Approve", olga)).markdown).toContain("no such request here");
    expect((await approvals.command("", olga)).markdown).toBe("No call waits for an approval here.");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when the asker may not confirm, then the asker can deny but not approve", async () => {
    const rights = new Rights({ member: ["delegate", TOOLS] });
    approvals = await ApprovalsUnderTest.start({ agent: { rights } });
    const request = await approvals.ask();
    expect((await approvals.press(request, "Approve")).markdown).toContain("cannot decide this one");
    expect((await approvals.press(request, "Deny")).markdown).toContain("Denied.");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when the asker's account is blocked before the press, then the press does not count", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    const { store, bus } = approvals.core.backbone;
    const address = { tenant: "default", channel: "web", accountId: "ann" };
    await blockAccount({ store, bus }, { ...address, reason: "spam", by: "op", at: "2026-03-10T21:14:00.000Z" });
    expect((await approvals.press(request, "Approve")).markdown).toContain("cannot decide this one");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when commands are wrong, then each gets an explanation", async () => {
    approvals = await ApprovalsUnderTest.start();
    await approvals.ask();
    for (const args of ["x", "deny", "approval-1", "maybe approval-000000000000", "deny approval-000000000000 now"]) {
      expect((await approvals.command(args)).markdown).toContain("An id looks like");
    }
    expect((await approvals.command("approval-000000000000")).markdown).toContain("no such request here");
    expect((await approvals.command("deny approval-000000000000")).markdown).toContain("no such request here");
  });

  it("when several wait, then `/approve` and `/status` list them", async () => {
    approvals = await ApprovalsUnderTest.start();
    const one = await approvals.ask("m-1");
    const two = await approvals.ask("m-2");
    const { markdown } = await approvals.command("");
    expect(markdown).toContain(idOf(one));
    expect(markdown).toContain(idOf(two));
    const asked = approvals.core.ask("s-1", "/status", { command: { name: "status", args: "" } });
    await approvals.core.clock.passNext(GATHER_MS);
    const status = await asked;
    expect(status.markdown).toContain(`\`${TOOL}\` waits for an approval`);
    expect(status.markdown).toContain(idOf(one));
  });
});

describe("given the rights of the work when the call is approved (R1)", () => {
  const restarted = async (agent: object, tool = {}) => {
    approvals = await ApprovalsUnderTest.start({ tool: {} });
    const request = await approvals.ask();
    await approvals.core.stopCore();
    const core = await approvals.core.startCore({ agent, tools: [mailTool(approvals.runs, tool)] });
    await approvals.press(request, "Approve", { account: { id: "ann", name: "Ann" } });
    const final = await approvals.final();
    await core.stop();
    return final.markdown;
  };

  it("when the asker has lost the right to the tool, then it does not run", async () => {
    expect(await restarted({ rights: new Rights() })).toContain("approved by Ann, not run Not allowed here");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when the definition of the tool has changed, then it does not run", async () => {
    const rights = new Rights({ member: ["default", TOOLS] });
    const approval = { isDestructive: false, definition: "definition-2" };
    expect(await restarted({ rights }, { approval })).toContain("the tool has changed since");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when the tool no longer exists, then it does not run and the answer says so", async () => {
    const rights = new Rights({ member: ["default", TOOLS] });
    expect(await restarted({ rights }, { name: "mail__other" })).toContain('there is no tool named "mail__send"');
  });
});
