import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainParagraph } from "../../../../adapters/contract/markdown/plain-paragraph.ts";
import { parseMarkdown } from "../../../../adapters/contract/markdown/write-markdown.ts";

describe("given a text that is one line of words", () => {
  it.each([
    'I understood: "The harbour is quiet and the sea is calm."',
    "Ja, um 12 Uhr (MEZ) – 50 % günstiger!",
    "a",
    "Two  spaces, and a date: 2026-01-02.",
    "𝒜 letter outside the basic plane",
  ])("%j, then its tree is the one that the parser makes", (text) => {
    expect(plainParagraph(text)).toEqual(parseMarkdown(text));
  });
});

describe("given a text that may have mark-up", () => {
  it.each([
    ["a list", "1. first"],
    ["a bullet", "- first"],
    ["emphasis", "it is *here*"],
    ["an underscore", "a_b_c"],
    ["code", "run `ls`"],
    ["a link", "see [this](https://a.example)"],
    ["an address", "see https://a.example"],
    ["an address without a scheme", "see www.a.example"],
    ["a mail address", "write to ann@a.example"],
    ["an entity", "a &amp; b"],
    ["HTML", "a <b>c</b>"],
    ["a table", "a | b"],
    ["an escape", "a\\*b"],
    ["a second line", "a\n---"],
    ["a line break", "a  \nb"],
    ["a space at the end", "a "],
    ["a space at the beginning", "    a"],
    ["no text", ""],
    ["more than a part", "a".repeat(4_001)],
  ])("with %s, then it is parsed", (_, text) => {
    expect(plainParagraph(text)).toBeUndefined();
  });
});

it("given any text that is taken for plain, then its tree is the one that the parser makes", () => {
  const signs = [..."aZwW9 é中.,;:?!'\"()%…–-_*~`<>[]&|#+=/@\\\n\t"];
  const words = ["www", "http", "https://", "xmpp:", "mailto:", "1. ", "- ", "ftp."];
  const text = fc.array(fc.constantFrom(...signs, ...words), { maxLength: 30 }).map((parts) => parts.join(""));
  let plain = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        text.map((rest) => `a${rest.replace(/[^\p{L}\p{N} .,;:?!'"()%…–-]/gu, "")}`),
      ),
      (each) => {
        const tree = plainParagraph(each);
        if (tree === undefined) return;
        plain++;
        expect(tree).toEqual(parseMarkdown(each));
      },
    ),
    { numRuns: 2_000 },
  );
  expect(plain).toBeGreaterThan(200);
});
