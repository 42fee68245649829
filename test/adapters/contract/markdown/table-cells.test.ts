import { describe, expect, it } from "vitest";
import { renderMarkdown as onDiscord } from "../../../../adapters/discord/markdown.ts";
import { sectionsOf } from "../../../../adapters/slack/mrkdwn.ts";
import { renderMarkdown as onTeams } from "../../../../adapters/teams/markdown.ts";

describe("given a platform without tables, and a table with pictures and footnotes (D7)", () => {
  const table = "| a | b |\n|--|--|\n| ![chart][1] | see[^n] |\n\n[1]: https://a.example/c\n\n[^n]: the tides";

  it.each([
    ["Slack", sectionsOf(table).join("\n"), "chart  see[n]"],
    ["Discord", onDiscord(table), "chart │ see[n]"],
    ["Teams", onTeams(table), "chart | see[n]"],
  ])("when %s shows it as text, then its cells have the description and the mark", (_, shown, row) => {
    expect(shown).toContain(row);
  });
});
