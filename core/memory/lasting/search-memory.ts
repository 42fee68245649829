import type { MemoryEntry } from "./memory-record.ts";

/**
 * Full-text search in one bounded memory, the same on both backbones: BM25 over folded words. A memory has at most some
 * hundred short entries, so scoring all of them costs less than a read of the store.
 */
export const searchMemory = (entries: readonly MemoryEntry[], query: string): MemoryEntry[] => {
  const wanted = [...new Set(wordsOf(query))].slice(0, MAX_QUERY_WORDS);
  if (wanted.length === 0 || entries.length === 0) return [];
  const indexed = entries.map((entry) => ({ entry, words: indexOf(entry) }));
  const averageLength = indexed.reduce((sum, { words }) => sum + words.length, 0) / indexed.length;
  const scores = new Map<MemoryEntry, number>();
  for (const word of wanted) {
    const hits = indexed.flatMap(({ entry, words }) => {
      const frequency = words.counted.reduce((sum, [known, count]) => sum + count * likeness(word, known), 0);
      return frequency === 0 ? [] : [{ entry, frequency, length: words.length }];
    });
    const rarity = Math.log(1 + (entries.length - hits.length + 0.5) / (hits.length + 0.5));
    for (const { entry, frequency, length } of hits) {
      const saturation = (frequency * (K + 1)) / (frequency + K * (1 - B + (B * length) / averageLength));
      scores.set(entry, (scores.get(entry) ?? 0) + rarity * saturation);
    }
  }
  return [...scores].sort(([a, x], [b, y]) => y - x || (a.at < b.at ? 1 : -1)).map(([entry]) => entry);
};

/** A long message is searched by its first words. */
const MAX_QUERY_WORDS = 60;
const MAX_TEXT_CHARS = 4_000;
/** The usual constants of BM25: saturation of repeated words, and weight of an entry's length. */
const K = 1.2;
const B = 0.75;

const PREFIX_WEIGHT = 0.6;
const MIN_PREFIX = 3;
/** Longer endings are other words rather than inflections. */
const MAX_ENDING = 3;

/** How well a word of the query fits a word of an entry: the word, its beginning, or the word with another ending. */
const likeness = (word: string, known: string): number => {
  if (word === known) return 1;
  if (word.length >= MIN_PREFIX && known.startsWith(word)) return PREFIX_WEIGHT;
  const isInflected = known.length >= MIN_PREFIX && word.startsWith(known) && word.length - known.length <= MAX_ENDING;
  return isInflected ? PREFIX_WEIGHT : 0;
};

interface IndexedWords {
  readonly counted: readonly (readonly [word: string, count: number])[];
  readonly length: number;
}

/** Entries never change and are cached with their record, so each is indexed once. */
const indexes = new WeakMap<MemoryEntry, IndexedWords>();

const indexOf = (entry: MemoryEntry): IndexedWords => {
  const known = indexes.get(entry);
  if (known !== undefined) return known;
  const words = wordsOf(entry.text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const made = { counted: [...counts], length: words.length };
  indexes.set(entry, made);
  return made;
};

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces between words: pairs of characters stand for words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
const UMLAUTS: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue" };

/** The words of a text in the form that is compared: without case and accents, "ü" both as "u" and as "ue". */
export const wordsOf = (text: string): string[] => {
  const lower = text.slice(0, MAX_TEXT_CHARS).normalize("NFKC").toLowerCase().replaceAll("ß", "ss");
  const pairs = (lower.match(UNSPACED) ?? []).flatMap(pairsOf);
  const words = (lower.replace(UNSPACED, " ").match(WORDS) ?? []).flatMap(formsOf);
  return [...words, ...pairs];
};

const formsOf = (word: string): string[] => {
  const folded = word.normalize("NFD").replace(/\p{M}+/gu, "");
  const spelled = word.replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter);
  if (spelled === word) return [folded || word];
  return [folded, spelled.normalize("NFD").replace(/\p{M}+/gu, "")];
};

const pairsOf = (run: string): string[] => {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
};
