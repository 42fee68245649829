import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elapsedText } from "../../../adapters/web/widget/elapsed-text.ts";
import { parseMarkdown } from "../../../adapters/web/widget/parse-markdown.ts";
import { StreamedText } from "../../../adapters/web/widget/streamed-text.ts";

describe("given text that streams in", () => {
  it("when pieces repeat, overlap or come again in a new attempt, then the text is right", () => {
    const streamed = new StreamedText();
    expect(streamed.add({ attempt: 1, offset: 0, text: "Hel" })).toBe(true);
    expect(streamed.add({ attempt: 1, offset: 0, text: "Hel" })).toBe(false);
    streamed.add({ attempt: 1, offset: 2, text: "llo" });
    expect(streamed.text).toBe("Hello");
    expect(streamed.add({ attempt: 1, offset: 9, text: "lost before" })).toBe(false);
    streamed.add({ attempt: 2, offset: 0, text: "Anew" });
    expect(streamed.add({ attempt: 1, offset: 5, text: "late" })).toBe(false);
    expect(streamed.text).toBe("Anew");
  });
});

describe("given markdown", () => {
  it("when it has blocks, then they are told apart", () => {
    const blocks = parseMarkdown("# Title\ntext\nmore\n\n- a\n- b\n\n1. c\n```js\n**x**\n```\nend");
    expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "list", "list", "code", "paragraph"]);
    expect(blocks[4]).toEqual({ kind: "code", text: "**x**" });
  });

  it.each([
    ["[x](javascript:alert(1))", []],
    ["[x](data:text/html,x)", []],
    ["[x](//evil.example)", []],
    ["![x](https://evil.example/a.png)", ["https://evil.example/a.png"]],
    ["see https://a.example/b. Or", ["https://a.example/b"]],
    ["`https://a.example`", []],
  ])("when %j has addresses, then only http ones are links", (markdown, hrefs) => {
    const inlines = parseMarkdown(markdown).flatMap((block) => ("lines" in block ? block.lines.flat() : []));
    expect(inlines.flatMap((inline) => (inline.kind === "link" ? [inline.href] : []))).toEqual(hrefs);
  });

  it("when it is anything at all, then it ends quickly and makes no other link", () => {
    const piece = fc.constantFrom(
      "*",
      "**",
      "`",
      "[",
      "](",
      ")",
      "https://a",
      "\n",
      "- ",
      "1. ",
      "```",
      "#",
      " ",
      "x",
      "javascript:",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), (pieces) => {
        const written = JSON.stringify(parseMarkdown(pieces.join("")));
        for (const [, href] of written.matchAll(/"href":"([^"]*)"/g)) expect(href).toMatch(/^https?:\/\//);
      }),
      { numRuns: 500 },
    );
  });
});

describe("given a duration", () => {
  it.each([
    [-5_000, "0 s"],
    [59_999, "59 s"],
    [125_000, "2 min 5 s"],
    [3_840_000, "1 h 4 min"],
  ])("when it is %i ms, then it reads %s", (ms, text) => {
    expect(elapsedText(ms)).toBe(text);
  });
});
