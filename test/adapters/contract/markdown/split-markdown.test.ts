import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MIN_PART_LENGTH, openFenceAt, splitMarkdown } from "../../../../adapters/contract/markdown/split-markdown.ts";

const sentence = (word: string, count: number) => `${Array.from({ length: count }, () => word).join(" ")}.`;

describe("given a text that is too long for one part (D7, F20)", () => {
  it("when it has paragraphs, then it is cut between them", () => {
    const [first, second] = [sentence("alpha", 20), sentence("beta", 20)];
    expect(splitMarkdown(`${first}\n\n${second}`, 160)).toEqual([first, second]);
  });

  it("when it is one paragraph, then it is cut after a sentence", () => {
    const [first, second] = [sentence("alpha", 20), sentence("beta", 20)];
    expect(splitMarkdown(`${first} ${second}`, 160)).toEqual([first, second]);
  });

  it("when it is one sentence, then it is cut between words", () => {
    const parts = splitMarkdown(sentence("gamma", 100), 200);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part).toMatch(/^gamma( gamma)*\.?$/);
  });

  it("when it is one word, then no grapheme is cut", () => {
    const family = "👨‍👩‍👧‍👦";
    const parts = splitMarkdown(family.repeat(60), 150);
    expect(parts.join("")).toBe(family.repeat(60));
    for (const part of parts) expect(part.length % family.length).toBe(0);
  });

  it("when the cut is inside code, then the fence is closed and reopened with its language", () => {
    const code = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};`);
    const parts = splitMarkdown(`Look:\n\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\n\nDone.`, 240);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts.slice(1, -1)) expect(part).toMatch(/^```ts\n[^`]*\n```$/);
    const lines = parts.flatMap((part) => part.split("\n")).filter((line) => line.startsWith("const"));
    expect(lines).toEqual(code);
  });

  it("when the cut is just before the end of the code, then no empty code block follows", () => {
    const code = "x".repeat(120);
    for (let limit = MIN_PART_LENGTH; limit < 150; limit++) {
      for (const part of splitMarkdown(`\`\`\`\n${code}\n\`\`\`\nafter`, limit)) expect(part).not.toMatch(/```\n*```/);
    }
  });

  it("when the cut is just after the start of the code, then no empty code block comes before", () => {
    for (let words = 10; words < 40; words++) {
      const text = `${sentence("delta", words)}\n\`\`\`ts\n${"let a;\n".repeat(20)}\`\`\``;
      for (const part of splitMarkdown(text, 150)) expect(part).not.toMatch(/```ts\n```/);
    }
  });

  it("when three backticks stand in the middle of a line, then no part begins with them", () => {
    for (let words = 10; words < 40; words++) {
      const text = `${sentence("delta", words)} Write \`\`\` to begin code, ${sentence("delta", 30)}`;
      for (const part of splitMarkdown(text, 140)) expect(part).not.toMatch(/^```/);
    }
  });

  it("when the code's indentation matters, then a line keeps it", () => {
    const code = Array.from({ length: 40 }, (_, line) => `${" ".repeat((line % 4) * 2)}step${line}()`);
    const parts = splitMarkdown(`\`\`\`py\n${code.join("\n")}\n\`\`\``, 150);
    expect(parts.flatMap((part) => part.split("\n")).filter((line) => line.includes("step"))).toEqual(code);
  });
});

describe("given a text that fits", () => {
  it("when it is split, then it is one part, untouched", () => {
    expect(splitMarkdown("hello\n\n  world ", 200)).toEqual(["hello\n\n  world "]);
    expect(splitMarkdown("x".repeat(100_000))).toHaveLength(1);
    expect(splitMarkdown("")).toEqual([""]);
  });

  it("when it leaves a fence open, then the fence is closed, so that the text after it is not code", () => {
    expect(splitMarkdown("```js\nlet a;", 200)).toEqual(["```js\nlet a;\n```"]);
  });
});

describe("given any text", () => {
  const limit = fc.integer({ min: MIN_PART_LENGTH, max: 400 });
  const word = fc.nat(9999).map((n) => `w${n}`);
  const prose = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(" "));
  const code = fc
    .tuple(
      fc.constantFrom("```", "~~~", "````"),
      fc.constantFrom("", "ts", "js title=x"),
      fc.array(prose, { maxLength: 8 }),
    )
    .map(([marker, info, lines]) => [`${marker}${info}`, ...lines, marker].join("\n"));
  const document = fc
    .array(fc.oneof(prose, code), { maxLength: 12 })
    .chain((blocks) => fc.constantFrom("\n\n", "\n").map((glue) => blocks.join(glue)));
  const noise = fc.string({
    unit: fc.constantFrom("a", " ", "\n", "`", "```", "~~~", "é", "e\u0301", "👩‍🚀", ". ", "\r\n"),
    maxLength: 900,
  });

  it("when split, then every word occurs once, in order", () => {
    const words = (text: string) => text.match(/w\d+/g) ?? [];
    fc.assert(
      fc.property(document, limit, (text, max) => {
        expect(splitMarkdown(text, max).flatMap(words)).toEqual(words(text));
      }),
    );
  });

  it("when split, then the limit is kept and every fence is balanced", () => {
    fc.assert(
      fc.property(fc.oneof(document, noise), limit, (text, max) => {
        for (const part of splitMarkdown(text, max)) {
          expect(part.length).toBeLessThanOrEqual(max);
          expect(openFenceAt(part)).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  it("when split, then only white space and fences differ, and no grapheme is cut", () => {
    const bare = (text: string) => text.replace(/[\s`~]/g, "");
    const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    const clusters = (text: string) =>
      [...segmenter.segment(text)].map(({ segment }) => segment).filter((s) => bare(s) !== "");
    fc.assert(
      fc.property(noise, limit, (text, max) => {
        expect(splitMarkdown(text, max).flatMap(clusters)).toEqual(clusters(text));
      }),
      { numRuns: 500 },
    );
  });

  it("when the platform counts bytes, or less than UTF-16 units, then its limit is kept and nothing is lost", () => {
    const codePoints = (text: string) => [...text].length;
    const utf8Bytes = (text: string) => Buffer.byteLength(text);
    const bare = (text: string) => text.replace(/[\s`~]/g, "");
    fc.assert(
      fc.property(noise, limit, fc.constantFrom(utf8Bytes, codePoints), (text, max, measure) => {
        const parts = splitMarkdown(text, max, measure);
        for (const part of parts) {
          expect(measure(part)).toBeLessThanOrEqual(max);
          expect(openFenceAt(part)).toBeUndefined();
        }
        expect(bare(parts.join("")).replaceAll("a", "")).toBe(bare(text).replaceAll("a", ""));
      }),
      { numRuns: 200 },
    );
  });

  it("when it is half a megabyte, then it is split within the time limit", () => {
    const text = `${sentence("word", 90_000)}\n\`\`\`\n${"code line\n".repeat(5_000)}\`\`\``;
    expect(splitMarkdown(text, 2_000).length).toBeGreaterThan(text.length / 2_000);
  });

  it("when the limit is too small for a fence, then it is rejected", () => {
    expect(() => splitMarkdown("text", 10)).toThrow(/use \d+ or more/);
  });
});
