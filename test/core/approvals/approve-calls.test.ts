import { afterEach, describe, expect, it } from "vitest";
import { userMessage } from "../core-under-test.ts";
import { ApprovalsUnderTest, idOf, MAIL, sendsMail, TOOL } from "./approvals-under-test.ts";

let approvals: ApprovalsUnderTest;
afterEach(() => approvals.core.dispose());

const lastToolResult = () => {
  const results = approvals.core.model.requests.items.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === "tool" ? message.results : [])),
  );
  return results.at(-1);
};

describe("given a call of a tool that asks first (T4)", () => {
  it("when the model makes it, then the turn ends, the call waits, and people see exactly what would run", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    expect(approvals.runs.items).toEqual([]);
    expect(await approvals.core.replyTo("m-1")).toMatchObject({ markdown: "I asked." });
    expect(lastToolResult()).not.toHaveProperty("failed");
    expect(lastToolResult()?.output).toContain(`a person must approve this call first (${idOf(request)})`);
    expect(lastToolResult()?.output).toContain("expires at 2026-03-11T21:14:05.000Z");
    expect(request).toMatchObject({ kind: "notice", audience: { conversation: { room: "room-1" } } });
    expect(request.markdown).toContain(`May I run \`${TOOL}\`?`);
    expect(request.markdown).toContain("Sends an e-mail.");
    expect(request.markdown).toContain("Asked for by Ann: “send the mail”");
    expect(request.markdown).toContain(JSON.stringify(MAIL, null, 2));
    expect(request.actions?.map(({ label }) => label)).toEqual(["Approve", "Approve for an hour", "Deny"]);
  });

  it("when it is approved, then it runs once with these arguments, and one answer reports the result", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    expect((await approvals.press(request, "Approve")).markdown).toContain("Approved.");
    const final = await approvals.final();
    expect(final.markdown).toBe(`outcome: ### ${TOOL} (${idOf(request)}): approved by Ann, done sent`);
    expect(final).toMatchObject({ origin: { promptSummary: "send the mail" }, cause: { trigger: "approval" } });
    expect(approvals.runs.items).toMatchObject([{ input: MAIL, context: { asker: { name: "Ann" } } }]);
    const decision = await approvals.decisionOf(request);
    expect(decision.markdown).toBe(`\`${TOOL}\`: **Approved by Ann**`);
    expect(decision.data).toMatchObject({ replaces: { replyId: request.id } });
  });

  it("when it is denied, then it never runs and the model learns who denied it", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    expect((await approvals.press(request, "Deny")).markdown).toContain("Denied.");
    expect((await approvals.final()).markdown).toContain("denied by Ann");
    expect((await approvals.decisionOf(request)).markdown).toContain("Denied by Ann");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when it is pressed twice, then it runs once and the second press gets the state", async () => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    const [first, second] = await Promise.all([
      approvals.press(request, "Approve"),
      approvals.press(request, "Approve"),
    ]);
    await approvals.final();
    expect([first.markdown, second.markdown].filter((text) => text.startsWith("Approved."))).toHaveLength(1);
    expect(approvals.runs.items).toHaveLength(1);
    expect((await approvals.press(request, "Deny")).markdown).toBe(
      "Nothing to decide any more: approved by Ann, done.",
    );
    expect(approvals.finals).toHaveLength(1);
  });

  it("when the tool fails, then the answer says so", async () => {
    const run = async () => {
      throw new Error("the mailbox is full");
    };
    approvals = await ApprovalsUnderTest.start({ tool: { run } });
    await approvals.press(await approvals.ask(), "Approve");
    expect((await approvals.final()).markdown).toContain("approved by Ann, failed the mailbox is full");
  });

  it("when the request expires, then people and the model learn it and a press is too late", async () => {
    approvals = await ApprovalsUnderTest.start({ heldByClock: true, agent: { approvals: { expireMs: 60_000 } } });
    const request = await approvals.ask();
    await approvals.core.clock.passNext(59_000, 60_000);
    expect((await approvals.decisionOf(request)).markdown).toContain("Not decided in time");
    expect((await approvals.final()).markdown).toContain("not decided in time, so it was not run");
    expect((await approvals.press(request, "Approve")).markdown).toContain("not decided in time");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when two calls of one turn are decided close together, then each runs and each outcome is in one answer", async () => {
    const both = sendsMail();
    approvals = await ApprovalsUnderTest.start({
      roles: {
        primary: (asked) => {
          const answer = both(asked);
          if (typeof answer === "string" || !("toolCalls" in answer)) return answer;
          const [call] = answer.toolCalls;
          if (call === undefined) return answer;
          return { ...answer, toolCalls: [call, { ...call, id: "call-1", input: { to: "carl@example.org" } }] };
        },
      },
    });
    await approvals.core.receive(userMessage("m-1", "send two"));
    const [one, two] = [await approvals.request(0), await approvals.request(1)];
    await Promise.all([approvals.press(one, "Approve"), approvals.press(two, "Deny")]);
    const told = () => approvals.finals.map(({ markdown }) => markdown).join("\n");
    await approvals.core.replies.until(() => told().includes(idOf(one)) && told().includes(idOf(two)));
    expect(approvals.runs.items).toHaveLength(1);
    for (const request of [one, two]) expect(told().split(idOf(request))).toHaveLength(2);
  });

  it("when the arguments are too long to be shown, then the call is denied at once", async () => {
    approvals = await ApprovalsUnderTest.start({ roles: { primary: sendsMail({ text: "x".repeat(13_000) }) } });
    await approvals.core.ask("m-1", "send the mail");
    expect(lastToolResult()).toMatchObject({ failed: true });
    expect(lastToolResult()?.output).toContain("at most 12000 can be shown");
    expect(approvals.requests).toEqual([]);
  });
});
