import { describe, expect, it } from "vitest";
import type { MemoryEntry } from "../../../../core/memory/lasting/memory-record.ts";
import { searchMemory } from "../../../../core/memory/lasting/search-memory.ts";
import { expectLinearTime } from "../../../setup/linear-time.ts";

const entry = (text: string, number: number): MemoryEntry => ({
  id: `m-${number}`,
  number,
  text,
  at: new Date(Date.UTC(2026, 0, number)).toISOString(),
  by: { channel: "web", accountId: "ann", name: "Ann" },
  conversation: { channel: "web", room: "dm", kind: "private" },
  personId: null,
});
const find = (texts: readonly string[], query: string): string[] =>
  searchMemory(
    texts.map((text, index) => entry(text, index + 1)),
    query,
  ).map(({ text }) => text);

const FACTS = [
  "Her sister Zoë lives in Köln",
  "She drinks tea, never coffee",
  "The Straße is blocked on Mondays",
  "私は東京に住んでいます",
  "El niño juega al fútbol",
  "Meeting room: Łódź",
  "서울에 친구가 있어요",
];

describe("given the entries of a memory (M4)", () => {
  it.each([
    ["koln", FACTS[0]],
    ["KÖLN", FACTS[0]],
    ["Koeln", FACTS[0]],
    ["where does zoe live?", FACTS[0]],
    ["coff", FACTS[1]],
    ["teas", FACTS[1]],
    ["strasse", FACTS[2]],
    ["東京", FACTS[3]],
    ["住んで", FACTS[3]],
    ["nino futbol", FACTS[4]],
    ["서울", FACTS[6]],
  ])("when %j is searched, then case, accents, endings, beginnings and scripts do not matter", (query, expected) => {
    expect(find(FACTS, query)[0]).toBe(expected);
  });

  it("when words are rare or repeated, then entries with the rare word come first", () => {
    const texts = ["the cat likes the garden", "the dog likes the garden", "the cat is called Tom"];
    expect(find(texts, "the cat called")).toEqual([texts[2], texts[0], texts[1]]);
  });

  it("when nothing fits, or there is nothing to search for, then nothing is found", () => {
    expect(find(FACTS, "submarine")).toEqual([]);
    expect(find(FACTS, "  ?!  ")).toEqual([]);
    expect(find([], "tea")).toEqual([]);
  });

  it("when memory and message are as large as they can be, then the search is fast", () => {
    const texts = Array.from({ length: 500 }, (_, index) => `${"lorem ipsum dolor ".repeat(14)}${index}`);
    expectLinearTime("search", 128_000, () => find(texts, "dolor sit amet ".repeat(1_000)));
  });
});
