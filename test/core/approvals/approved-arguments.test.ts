import { afterEach, describe, expect, it } from "vitest";
import { type Approval, approvalKey } from "../../../core/approvals/record/approval-record.ts";
import type { Moderator } from "../../../core/contract/ports/moderator.ts";
import { update } from "../../../core/contract/ports/update.ts";
import { Gate } from "../../fakes/model-answer.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { userMessage } from "../core-under-test.ts";
import { ApprovalsUnderTest, idOf, MAIL, sendsMail } from "./approvals-under-test.ts";

let approvals: ApprovalsUnderTest;
afterEach(() => approvals.core.dispose());

const PAGE = "https://docs.example.org/plan?x=1";

/** Changes the stored call between the request and the press, as a person with access to the store could. */
const tamper = (id: string, change: (approval: Approval) => Approval) =>
  update(approvals.core.backbone.store, approvalKey({ tenant: "default", id }), (known) => known && change(known));

describe("given a call that waits for an approval (T4)", () => {
  it.each([
    ["its arguments", (one: Approval) => ({ ...one, input: JSON.stringify({ ...MAIL, to: "eve@example.org" }) })],
    ["its tool", (one: Approval) => ({ ...one, tool: "mail__delete" })],
    ["the definition of its tool", (one: Approval) => ({ ...one, definition: "definition-2" })],
    ["the digest too", (one: Approval) => ({ ...one, input: "{}", digest: "0".repeat(64) })],
  ])("when %s were changed in the store after people saw them, then an approval runs nothing", async (_, change) => {
    approvals = await ApprovalsUnderTest.start();
    const request = await approvals.ask();
    await tamper(idOf(request), change);
    await approvals.press(request, "Approve");
    expect((await approvals.final()).markdown).toContain("the stored call differs from the one that was approved");
    expect(approvals.runs.items).toEqual([]);
  });

  it("when its arguments have an address that the asker wrote, then the approved call may read that one, and no other", async () => {
    approvals = await ApprovalsUnderTest.start({
      roles: { primary: sendsMail({ page: PAGE, other: "https://evil.example/?data=1" }) },
    });
    await approvals.core.ask("m-1", `read ${PAGE} please`);
    await approvals.press(await approvals.request(0), "Approve");
    const [run] = await approvals.runs.count(1);
    expect(await run?.context.askerWrote?.(PAGE)).toBe(true);
    expect(await run?.context.askerWrote?.("https://evil.example/?data=1")).toBe(false);
  });

  it("when it is denied while it runs, then the first decision stands", async () => {
    const gate = new Gate();
    const started = new Recorder<string>();
    const run = async () => {
      started.add("run");
      await gate.opened;
      return "sent";
    };
    approvals = await ApprovalsUnderTest.start({ tool: { run } });
    const request = await approvals.ask();
    await approvals.press(request, "Approve");
    await started.count(1);
    expect((await approvals.press(request, "Deny")).markdown).toContain("Nothing to decide any more");
    gate.release();
    expect((await approvals.final()).markdown).toContain("approved by Ann, done sent");
    expect(started.items).toEqual(["run"]);
  });

  it("when the moderator sees the request, then it gets every argument, and a refusal asks no person", async () => {
    const seen: string[] = [];
    const moderator: Moderator = {
      checksMessages: false,
      checksAnswers: true,
      check: async ({ text }) => {
        seen.push(text);
        return text.includes("forbidden word") ? { allowed: false, text: "not here" } : { allowed: true };
      },
    } as Moderator;
    const input = { ...MAIL, deep: { list: ["x".repeat(9_000), "the forbidden word"] } };
    approvals = await ApprovalsUnderTest.start({ moderator, roles: { primary: sendsMail(input) } });
    await approvals.core.receive(userMessage("m-1", "send the mail"));
    await approvals.core.replyTo("m-1");
    expect(seen.some((text) => text.includes("the forbidden word") && text.includes("x".repeat(9_000)))).toBe(true);
    expect(approvals.requests).toEqual([]);
    expect(approvals.runs.items).toEqual([]);
  });
});
