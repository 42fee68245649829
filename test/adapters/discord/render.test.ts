import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../../adapters/discord/markdown.ts";
import { nonceOf, renderParts } from "../../../adapters/discord/render.ts";
import { liveMarksOf, smallPrintOf } from "../../fakes/discord/post-input.ts";
import { sampleDelivery } from "../../fakes/sample-delivery.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";

describe("given markdown that Discord renders differently", () => {
  it.each([
    ["plain mark-up", "**b** _i_ ~~d~~ `c`", "**b** *i* ~~d~~ `c`"],
    ["headings", "# one\n\n#### four", "# one\n\n**four**"],
    ["lists", "1. a\n2. b\n   - c\n- [x] d", "1. a\n2. b\n   - c\n\n- ☑ d"],
    ["a quote in a quote", "> a\n>\n> > b", "> a\n> \n> b"],
    ["a table", "| a | b |\n|---|---|\n| 1 | **two** |", "```\na │ b\n──┼────\n1 │ two\n```"],
    ["a picture", "![alt](https://example.com/x.png)", "[alt](https://example.com/x.png)"],
    ["a picture by reference", "![alt][1]\n\n[1]: https://example.com/x.png", "[alt](https://example.com/x.png)"],
    ["a rule", "a\n\n---\n\nb", "a\n\n──────\n\nb"],
    ["a fence in a fence", "````\n```\nx\n```\n````", "```\n`\u200b``\nx\n`\u200b``\n```"],
    ["a backtick in code", "`` a`b ``", "`` a`b ``"],
    ["a fence in code", "`-# ```-# `", "`` -# `\u200b`\u200b`-#  ``"],
    ["an address", "see https://example.com/a_b", "see https://example.com/a_b"],
    ["a mail address", "to a_b@example.com", "to a\\_b@example.com"],
    ["an address with a fence", "see https://example.com/```", "see https://example.com/%60%60%60"],
    ["an address kept elsewhere", "[here][1]\n\n[1]: https://example.com", "[here](https://example.com)"],
    ["an address that runs code", "[x](javascript:alert)", "x (javascript:alert)"],
    ["names with underscores", "snake_case", "snake\\_case"],
    ["a spoiler of Discord's own", "||x||", "\\|\\|x\\|\\|"],
    ["html", "<b>x</b>", "<b>x\\</b>"],
  ])("when there is %s, then it is rendered for Discord", (_, markdown, rendered) => {
    expect(renderMarkdown(markdown)).toBe(rendered);
  });
});

describe("given text that would render to nothing", () => {
  it("then the source text is shown", () => {
    const target = { channel: "d", room: "1", kind: "private" as const };
    const [post] = renderParts(sampleDelivery("r1", target, "[1]: https://example.com"));
    expect(post?.content).toContain("https://example.com");
  });
});

describe("given a digest (D5, O10)", () => {
  it("then each answer has its anchor in small print above it, and the last message has the buttons", () => {
    const target = { channel: "d", room: "1", kind: "private" as const };
    const sections = [
      { number: 1, markdown: "**1.**\n\nfirst", anchor: sampleAnchor },
      { number: 2, markdown: "**2.**\n\n-# second", anchor: { ...sampleAnchor, summary: "other" } },
    ];
    const [post, ...more] = renderParts(sampleDelivery("r1", target, "in words", { sections }));
    expect(more).toEqual([]);
    expect(post?.content).toMatch(
      /^-# ↳ Re: "deep research" · .*<t:\d+:R>\n\*\*1\.\*\*\n\nfirst\n\n-# ↳ Re: "other" · .*\n\*\*2\.\*\*\n\n\\-# second$/,
    );
    expect(post && smallPrintOf(post)).toHaveLength(2);
  });
});

const hostileText = fc
  .array(
    fc.constantFrom(
      ...["-# ", "-#", "\n", "\n\n", "<t:1:R>", "<@123>", "<@&1>", "@everyone", "> ", "- ", "1. ", "`", "```", "~~~"],
      ...["*", "**", "_", "\\", "[", "](", ")", "<", ">", "&lt;", "&#45;", "#", "|", "x", " ", "text", "https://a.b/"],
      ...["\t", "    ", "\u200b", "| a |\n|---|\n| -# b |\n", "<b>", "![", "&#10;", "\r\n"],
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

describe("given arbitrary text (O16)", () => {
  it("then it contains no small print, mention or live time of Discord, and every message fits (F25)", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const post of renderParts(sampleDelivery("r1", { channel: "d", room: "1", kind: "private" }, text))) {
          expect(post.content.length).toBeLessThanOrEqual(2_000);
          expect(smallPrintOf(post)).toEqual([]);
          expect(liveMarksOf(post.content)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("then as the summary of an anchor it stays on the anchor's line", () => {
    fc.assert(
      fc.property(hostileText, (summary) => {
        const anchor = { ...sampleAnchor, summary: summary.repeat(5) };
        const target = { channel: "d", room: "1", kind: "private" as const };
        const [post] = renderParts(sampleDelivery("r1", target, "x".repeat(1_400), { anchor }));
        expect(post?.content.length).toBeLessThanOrEqual(2_000);
        expect(post && smallPrintOf(post)).toHaveLength(1);
        expect(liveMarksOf(post?.content ?? "")).toHaveLength(2);
      }),
      { numRuns: 100 },
    );
  });

  it("then the nonce fits, and differs for each message of each delivery", () => {
    const nonces = ["a", "b"].flatMap((id) => [0, 1].map((index) => nonceOf(id, index)));
    expect(new Set(nonces).size).toBe(4);
    expect(nonces.every(({ length }) => length === 25)).toBe(true);
  });
});
