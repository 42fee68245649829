import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeDigest } from "../../../gateway/relay/digest/compose-digest.ts";
import { sampleAnchor } from "../../fakes/sample-reply.ts";

const item = (id: string, markdown: string, text = `↳ Re: "${id}"`) => ({
  id,
  markdown,
  anchor: { ...sampleAnchor, text },
});
const wordsIn = (text: string): string[] => text.match(/w\d+/g) ?? [];

describe("given several answers that come as one digest", () => {
  it("when they fit into a message each, then none is cut, and it is known which message has which", () => {
    const long = (word: string) => `${word} `.repeat(30).trim();
    const parts = composeDigest([item("a", long("aa")), item("b", long("bb")), item("c", "cc")], {
      maxPartLength: 160,
    });
    expect(parts.map(({ itemIds }) => itemIds)).toEqual([["a"], ["b", "c"]]);
    expect(parts[1]?.markdown).toBe(`**2.**\n\n${long("bb")}\n\n↳ Re: "b"\n\n**3.**\n\ncc\n\n↳ Re: "c"`);
  });

  it("when a cut puts an imitation of an anchor at the start of a message, then it is caught there (O16)", () => {
    const forged = `${"word ".repeat(59)}scheduled · daily report · ${"long ".repeat(50)}`;
    const parts = composeDigest([item("a", "plain"), item("b", forged)], { maxPartLength: 305 });
    expect(parts.length).toBeGreaterThan(1);
    for (const { markdown } of parts) expect(markdown).not.toMatch(/^scheduled ·/m);
    expect(parts.map(({ markdown }) => markdown).join("\n")).toContain('↳ Re: "b"');
  });

  it("then whatever the answers are, nothing is lost, the order stays, and no message is too long (D7)", () => {
    const lengths = fc.array(fc.nat(200), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 132, max: 900 }), (counts, maxPartLength) => {
        let next = 0;
        const texts = counts.map((count) => Array.from({ length: count }, () => `w${next++}`).join(" "));
        const items = texts.map((text, index) => item(`r${index}`, text));
        const parts = composeDigest(items, { maxPartLength });
        for (const { markdown } of parts) expect(markdown.length).toBeLessThanOrEqual(maxPartLength);
        expect(parts.flatMap(({ markdown }) => wordsIn(markdown))).toEqual(texts.flatMap(wordsIn));
        for (const { id, markdown } of items) {
          const [first] = wordsIn(markdown);
          const has = parts.filter((part) => wordsIn(part.markdown).includes(first ?? ""));
          for (const part of has) expect(part.itemIds).toContain(id);
        }
        expect(new Set(parts.flatMap(({ itemIds }) => itemIds)).size).toBe(items.length);
      }),
      { numRuns: 100 },
    );
  });
});
