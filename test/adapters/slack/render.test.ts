import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitMarkdown } from "../../../adapters/contract/markdown/split-markdown.ts";
import { MAX_SECTION, sectionsOf } from "../../../adapters/slack/mrkdwn.ts";
import { MAX_PART_LENGTH, renderPost } from "../../../adapters/slack/render.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";
import { problemWith, textsOf } from "../../fakes/slack/check-blocks.ts";

/** Nearly all characters must be escaped for Slack, and no run of them is a deep quote. */
const escaped = `a${">".repeat(9)}`.repeat(400);
const written = (markdown: string): string => sectionsOf(markdown).join("\n§\n");

describe("given markdown", () => {
  it.each<[string, string, string]>([
    ["bold, italic, struck", "**a** *b* ~~c~~ ***d***", "*a* _b_ ~c~ _*d*_"],
    ["a heading", "# Big **news**\n\ntext", "*Big news*\n\ntext"],
    ["code in a line", "use `a < b && c`", "use `a &lt; b &amp;&amp; c`"],
    ["a block of code", "```ts\nif (a < b) {}\n```", "```\nif (a &lt; b) {}\n```"],
    ["a fence inside code", "~~~\n```\n~~~", "```\n`\u200b`\u200b`\n```"],
    [
      "links",
      "[here](https://a.example/?x=1&y=2) <https://b.example>",
      "<https://a.example/?x=1&amp;y=2|here> <https://b.example>",
    ],
    ["a link by reference", "[here][1]\n\n[1]: https://a.example", "<https://a.example|here>"],
    ["a link that runs code", "[run](javascript:alert(1))", "run (javascript:alert(1))"],
    ["a link that would break out", "[a|b>](https://a.example/%7C|x>y)", "<https://a.example/%7C%7Cx&gt;y|a b&gt;>"],
    ["a picture", "![chart](https://a.example/c.png)", "<https://a.example/c.png|chart>"],
    ["lists", "- a\n- b\n  - c\n\n3. x\n4. y", "• a\n• b\n    • c\n\n3. x\n4. y"],
    ["tasks", "- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"],
    ["a quotation", "> one\n> two", "> one\n> two"],
    ["a line", "a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["raw mark-up", "<b>x</b> &amp; y", "&lt;b&gt;x&lt;/b&gt; &amp; y"],
    [
      "mentions",
      "<!channel> <!here> <@U0BOB> <!subteam^S1>",
      "&lt;!channel&gt; &lt;!here&gt; &lt;@U0BOB&gt; &lt;!subteam^S1&gt;",
    ],
    ["a date as in anchors", "<!date^1^{time}|now>", "&lt;!date^1^{time}|now&gt;"],
  ])("when it has %s, then it is rendered for Slack", (_, markdown, mrkdwn) => {
    expect(written(markdown)).toBe(mrkdwn);
  });

  it("when it has a table that fits, then its columns are aligned", () => {
    const table = "| Port | Ships |\n|---|--:|\n| Kiel | 7 |\n| 横浜 | **12** |";
    expect(written(table)).toBe("```\nPort  Ships\n────  ─────\nKiel  7\n横浜  12\n```");
  });

  it("when it has a table that is too wide, then each row becomes a list", () => {
    const wide = "x".repeat(60);
    const table = `| Name | About |\n|---|---|\n| ${wide} | ${wide} |\n| b | c |`;
    expect(written(table)).toBe(`Name: ${wide}\nAbout: ${wide}\n\nName: b\nAbout: c`);
  });

  it("when alignment would make a table much longer, then its source is shown", () => {
    const table = `| ${"h".repeat(80)} | b |\n|---|---|\n${"| a | b |\n".repeat(250)}`;
    const sections = sectionsOf(table);
    expect(sections.join("").length).toBeLessThan(2 * table.length);
    expect(sections.join("\n").match(/\| a \| b \|/g)).toHaveLength(250);
  });

  it("when code is longer than a section, then each section has its own fence", () => {
    const code = Array.from({ length: 300 }, (_, n) => `line ${n} of the code`).join("\n");
    const sections = sectionsOf(`\`\`\`\n${code}\n\`\`\``);
    expect(sections.length).toBeGreaterThan(1);
    for (const section of sections) expect(section).toMatch(/^```\n[^`]+\n```$/);
    expect(sections.map((section) => section.slice(4, -4)).join("\n")).toBe(code);
  });

  it("when it would render to nothing, then the source text is shown", () => {
    expect(renderPost(sampleDelivery("r1", DM, "[1]: https://a.example")).text).toContain("https://a.example");
    expect(renderPost(sampleDelivery("r1", DM, " ")).text).toBe("…");
  });

  it("when nearly all characters are escaped, then it is still one message, with its anchor", () => {
    const post = renderPost({
      ...sampleDelivery("r1", DM, escaped.slice(0, MAX_PART_LENGTH)),
      anchor: sampleAnchor,
    });
    expect(post.text.match(/&gt;/g)?.length).toBeGreaterThan(3_000);
    expect(post.text.length).toBeLessThan(40_000);
    expect(post.text.startsWith('↳ Re: "deep research"')).toBe(true);
  });
});

describe("given a digest (D5, O10)", () => {
  const other = { ...sampleAnchor, summary: "other" };
  const digest = (second: string) => ({
    ...sampleDelivery("r1", DM, `in text form\n\n${second}`),
    sections: [
      { number: 1, markdown: "**1.**\n\nfirst", anchor: sampleAnchor },
      { number: 2, markdown: second, anchor: other },
    ],
  });

  it("then each answer has its anchor above it, as a block that text cannot imitate", () => {
    const { text, blocks } = renderPost(digest("**2.**\n\nsecond"));
    expect(text).toBe("*1.*\n\nfirst …");
    expect(blocks.map(({ type }) => type)).toEqual(["context", "section", "context", "section"]);
    expect(textsOf(JSON.parse(JSON.stringify(blocks)))).toEqual([
      expect.stringMatching(/deep research.*\n.*<!date/),
      "*1.*\n\nfirst",
      expect.stringMatching(/other.*\n.*<!date/),
      "*2.*\n\nsecond",
    ]);
  });

  it("when nearly all characters are escaped, then it is sent in text form", () => {
    const { text, blocks } = renderPost(digest(escaped.slice(0, 3_400)));
    expect(text).toContain("in text form");
    expect(blocks).toEqual([]);
  });
});

describe("given arbitrary text", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "**bold** ",
      "`code` ",
      "\n\n",
      "\n- item ",
      "\n```js\n",
      "\n> quote ",
      "| a | b |\n|--|--|\n| c | d |\n",
    ),
    fc.constantFrom("<!channel>", "<@U1>", "&", "<", ">", "[l](https://x.example/|)", "👩‍👩‍👧", "\\", "*", "_", "# "),
    fc.lorem({ maxCount: 30 }),
    fc.string({ maxLength: 40 }),
  );
  const markdown = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(""));

  it("then Slack accepts every part, without mentions and without a forged anchor (D7, O16, F25)", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        for (const part of splitMarkdown(text, MAX_PART_LENGTH)) {
          const { text: spoken, blocks } = renderPost(sampleDelivery("r1", DM, part));
          expect(problemWith(JSON.parse(JSON.stringify(blocks)))).toBeUndefined();
          for (const shown of [spoken, ...textsOf(JSON.parse(JSON.stringify(blocks)))]) {
            expect(shown).not.toMatch(/<(?!https?:|mailto:)/);
            expect(shown.length).toBeLessThanOrEqual(MAX_SECTION + 10);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it("then no text is lost", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 700 });
    fc.assert(
      fc.property(words, fc.constantFrom(" ", "\n\n", " & ", "\n- ", " **b** "), (list, joint) => {
        const all = list.join(joint);
        const shown = sectionsOf(all).join(" ").replaceAll("&amp;", "&");
        expect(shown.match(/[a-z]+/g)).toEqual(all.match(/[a-z]+/g));
      }),
      { numRuns: 60 },
    );
  });
});

const DM = { channel: "main", workspace: "T0MOORING", room: "D0ANN", kind: "private" } as const;
