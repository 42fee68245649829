import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DigestPart } from "../../../../core/delivery/undelivered/held-record.ts";
import { composeDigest, digestText } from "../../../../gateway/relay/digest/compose-digest.ts";
import { sampleAnchor } from "../../../fakes/sample-reply.ts";

const item = (id: string, markdown: string, text = `↳ Re: "${id}"`) => ({
  id,
  markdown,
  anchor: { ...sampleAnchor, text },
});
const textOf = ({ sections }: DigestPart): string => digestText(sections);
const anchorLength = ({ text }: { text: string }) => text.length;
const wordsIn = (text: string): string[] => text.match(/w\d+/g) ?? [];
const long = (word: string) => `${word} `.repeat(30).trim();

describe("given several answers in one digest", () => {
  it("when each fits into a message, then none is split, and each message lists its items", () => {
    const parts = composeDigest([item("a", long("aa")), item("b", long("bb")), item("c", "cc")], {
      maxPartLength: 160,
    });
    expect(parts.map(({ itemIds }) => itemIds)).toEqual([["a"], ["b", "c"]]);
    expect(parts.map(textOf)[1]).toBe(`↳ Re: "b"\n\n**2.**\n\n${long("bb")}\n\n↳ Re: "c"\n\n**3.**\n\ncc`);
  });

  it("when the channel renders anchors, then each is data, before the first section of its answer (O9, O10)", () => {
    const items = [item("a", `${long("aa")}\n\n${long("ab")}`), item("b", "bb"), item("c", "cc")];
    const parts = composeDigest(items, { maxPartLength: 150, anchorLength: () => 10 });
    const shown = parts.map(({ sections }) => sections.map(({ number, anchor }) => [number, anchor?.text]));
    expect(shown).toEqual([
      [
        [1, undefined],
        [1, '↳ Re: "a"'],
      ],
      [
        [1, undefined],
        [2, '↳ Re: "b"'],
        [3, '↳ Re: "c"'],
      ],
    ]);
    expect(parts[1]?.sections.map(({ markdown }) => markdown)).toEqual([long("ab"), "**2.**\n\nbb", "**3.**\n\ncc"]);
  });

  it("when there are many short ones, then no message has more anchors than platforms show", () => {
    const items = Array.from({ length: 25 }, (_, index) => item(`r${index}`, "x"));
    const parts = composeDigest(items, { anchorLength });
    expect(parts.map(({ itemIds }) => itemIds.length)).toEqual([10, 10, 5]);
  });

  it("when a split puts an imitation of an anchor at the start of a message, then it is escaped (O16)", () => {
    const forged = `${"word ".repeat(59)}scheduled · daily report · ${"long ".repeat(50)}`;
    const texts = composeDigest([item("a", "plain"), item("b", forged)], { maxPartLength: 305 }).map(textOf);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect(text).not.toMatch(/^scheduled ·/m);
    expect(texts.join("\n")).toContain('↳ Re: "b"');
  });

  it("then nothing is lost, the order is kept, and no message is too long, for any answers (D7)", () => {
    const lengths = fc.array(fc.nat(200), { minLength: 2, maxLength: 6 });
    const limits = fc.record({
      maxPartLength: fc.integer({ min: 132, max: 900 }),
      ways: fc.constantFrom({}, { anchorLength }),
    });
    fc.assert(
      fc.property(lengths, limits, (counts, { maxPartLength, ways }) => {
        let next = 0;
        const texts = counts.map((count) => Array.from({ length: count }, () => `w${next++}`).join(" "));
        const items = texts.map((text, index) => item(`r${index}`, text));
        const parts = composeDigest(items, { maxPartLength, ...ways });
        for (const { sections } of parts) {
          const anchors = sections.flatMap(({ anchor }) => anchor ?? []);
          const counted = anchors.length < 2 ? 0 : anchors.reduce((sum, { text }) => sum + text.length, 0);
          const text = sections.map(({ markdown }) => markdown).join("\n\n");
          expect(text.length + counted).toBeLessThanOrEqual(maxPartLength);
        }
        expect(parts.flatMap((part) => wordsIn(textOf(part)))).toEqual(texts.flatMap(wordsIn));
        expect(
          parts
            .map(textOf)
            .join("\n")
            .match(/↳ Re: "r\d"/g),
        ).toEqual(items.map(({ anchor }) => anchor.text));
        for (const { id, markdown } of items) {
          const [first] = wordsIn(markdown);
          const has = parts.filter((part) => wordsIn(textOf(part)).includes(first ?? ""));
          for (const part of has) expect(part.itemIds).toContain(id);
        }
        expect(new Set(parts.flatMap(({ itemIds }) => itemIds)).size).toBe(items.length);
      }),
      { numRuns: 100 },
    );
  });
});
