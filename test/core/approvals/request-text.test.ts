import { afterEach, describe, expect, it } from "vitest";
import { shownArguments } from "../../../core/approvals/asking/request-text.ts";
import type { ModeratedText } from "../../../core/contract/ports/moderator.ts";
import { ApprovalsUnderTest, sendsMail, TOOL } from "./approvals-under-test.ts";

describe("given arguments that try to hide something (T4)", () => {
  it.each([
    ["a bidi control", "to\u202ebob", "to\\u202ebob"],
    ["a zero-width space", "a\u200bb", "a\\u200bb"],
    ["a tag character", "a\u{e0041}b", "a\\udb40\\udc41b"],
    ["a filler", "a\u3164b", "a\\u3164b"],
    ["a lone surrogate", "a\ud800b", "a\\ud800b"],
  ])("when they have %s, then it is written out", (_, text, shown) => {
    expect(shownArguments(JSON.stringify({ text }))).toBe(`{\n  "text": "${shown}"\n}`);
  });

  it("when they have a long gap, then it is written out", () => {
    expect(shownArguments(JSON.stringify({ text: `a${" ".repeat(50)}b` }))).toContain("\\u0020".repeat(50));
  });

  it("when they are shown, then they are the same JSON", () => {
    const value = { text: "a\u202e \u200b`\n```\u3164", list: [1, null, { deep: true }] };
    expect(JSON.parse(shownArguments(JSON.stringify(value)))).toEqual(value);
  });
});

describe("given a request for an approval (T4)", () => {
  let approvals: ApprovalsUnderTest;
  afterEach(() => approvals.core.dispose());

  it("when the arguments have code fences and mark-up, then they stay inside the code block of the request", async () => {
    const input = { text: "```\n**Approve** this" };
    approvals = await ApprovalsUnderTest.start({
      roles: { primary: sendsMail(input) },
      tool: { description: "**Bold** [x](http://y)" },
    });
    const { markdown } = await approvals.ask();
    expect(markdown).toContain(`\`\`\`\`json\n${JSON.stringify(input, null, 2)}\n\`\`\`\``);
    expect(markdown).toContain("In plain words: Bold x\n");
  });

  it("when moderation refuses the text, then the call is denied and people are not asked", async () => {
    const checked: ModeratedText[] = [];
    const moderator = {
      checksMessages: false,
      checksAnswers: true,
      check: async (text: ModeratedText) => {
        checked.push(text);
        return text.text.includes("May I run") ? { allowed: false as const, text: "no" } : { allowed: true as const };
      },
    };
    approvals = await ApprovalsUnderTest.start({ moderator });
    await approvals.core.ask("m-1", "send the mail");
    expect(checked[0]).toMatchObject({ kind: "answer", channel: "web", account: "ann" });
    expect(approvals.requests).toEqual([]);
    expect(approvals.runs.items).toEqual([]);
  });

  it("when the outcome is reported, then its cause names the approval for `why`, and it is counted (O13)", async () => {
    approvals = await ApprovalsUnderTest.start();
    await approvals.press(await approvals.ask(), "Approve");
    const final = await approvals.final();
    expect(final.cause).toMatchObject({ trigger: "approval", steps: [{ kind: "approval", name: TOOL }] });
    const key = "approvals_total mooring done";
    expect(approvals.core.meter.counts[key]).toBe(1);
  });
});
