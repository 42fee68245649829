import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMarkdown, TerminalMarkdown } from "../../../../adapters/web/terminal/terminal-markdown.ts";
import { expectLinearTime } from "../../../setup/linear-time.ts";

/** Styles by name, so that expectations can be read. */
const NAMES: Readonly<Record<string, string>> = {
  "1": "<b>",
  "2": "<dim>",
  "3": "<i>",
  "4": "<u>",
  "9": "<s>",
  "22": "</>",
  "23": "</>",
  "24": "</>",
  "29": "</>",
  "36": "<code>",
  "39": "</>",
};
const ESCAPE = String.fromCharCode(27);
const named = (text: string) =>
  text.split(`${ESCAPE}[`).reduce((all, part) => {
    const [, code = "", rest = ""] = /^(\d+)m([\s\S]*)$/.exec(part) ?? [];
    return `${all}${NAMES[code]}${rest}`;
  });

describe("given markdown and a terminal", () => {
  it.each([
    ["# Tides ##", "<b>Tides</>"],
    ["a **bold** and *slanted* _word_", "a <b>bold</> and <i>slanted</> <i>word</>"],
    ["~~old~~ `code **x**`", "<s>old</> <code>code **x**</>"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["[the tide](https://tide.example/x)", "the tide (<u>https://tide.example/x</>)"],
    ["![chart](https://tide.example/c.png)", "chart (<u>https://tide.example/c.png</>)"],
    ["- one\n  * two\n3. three", "• one\n  • two\n3. three"],
    ["- [ ] open\n- [x] done", "☐ open\n☑ done"],
    ["> quoted", "<dim>│ </><dim>quoted</>"],
    ["a\n\n---\n\nb", `a\n\n<dim>${"─".repeat(24)}</>\n\nb`],
    ["```js\nconst a = **1**;\n```\nafter", "  <code>const a = **1**;</>\nafter"],
    ["| port | tide |\n|---|---:|\n| Kiel | 1 |", "<b>port  tide</>\n<dim>────  ────</>\nKiel  1"],
    ["\\*not slanted\\*", "*not slanted*"],
    ["an open **marker", "an open **marker"],
    ["", ""],
  ])("when it is %j, then the terminal shows %j", (markdown, shown) => {
    expect(named(renderMarkdown(markdown))).toBe(shown);
  });

  it("when it streams in any pieces, then the result is that of the whole text", () => {
    const pieces = fc.array(
      fc.constantFrom(
        ..."ab *_`~[]()|#>-1.\n\\!".split(""),
        "**x**",
        "[a](b)",
        "```\n",
        "\n| a | b |\n",
        "|---|---|\n",
        "word_word",
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const writer = new TerminalMarkdown();
        const streamed = [...parts, "\n"].map((part) => writer.push(part)).join("") + writer.end();
        expect(streamed).toBe(renderMarkdown(`${parts.join("")}\n`));
      }),
      { numRuns: 500 },
    );
  });

  it("when a paragraph streams in, then its words are shown before its line ends", () => {
    const writer = new TerminalMarkdown();
    expect(writer.push("The tide is ")).toBe("The tide is ");
    expect(writer.push("high **at ")).toBe("high ");
    expect(named(writer.push("noon** today "))).toBe("<b>at noon</> today ");
  });

  it.each(["__a", "**a ", "`a``", "[a](", "*a ", "~~a", "| a "])(
    "when it repeats %j, then it takes linear time",
    (part) => {
      const text = part.repeat(40_000 / part.length);
      expectLinearTime(part, text.length, () => renderMarkdown(text));
    },
  );
});
