import { describe, expect, it } from "vitest";
import { spellCommands } from "../../../core/commands/index.ts";

const spelled = (markdown: string) => spellCommands(markdown, "/mooring ");

describe("given a channel with one native command for all commands (I3)", () => {
  it.each([
    ["Write `/link` here, `/quiet off` there.", "Write `/mooring link` here, `/mooring quiet off` there."],
    ["- `/why <id>`: why", "- `/mooring why <id>`: why"],
  ])("when a text names commands, then they are spelled with its prefix", (markdown, expected) => {
    expect(spelled(markdown)).toBe(expected);
    expect(spelled(expected)).toBe(expected);
  });

  it.each([
    "see /link or `link`",
    "`/links` and `/unknown`",
    "```diff\n+ write `/link`\n```",
    "````\n```\n`/link`\n````",
  ])("when %j has no command to type, then it stays unchanged", (markdown) => expect(spelled(markdown)).toBe(markdown));

  it("when fenced code ends, then commands below it are spelled again", () => {
    expect(spelled("```\n`/new`\n```\n`/new`")).toBe("```\n`/new`\n```\n`/mooring new`");
  });

  it("when a channel has no prefix, then commands begin with a slash", () => {
    expect(spellCommands("`/link`")).toBe("`/link`");
  });
});
