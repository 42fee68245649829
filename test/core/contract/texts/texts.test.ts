import { describe, expect, it } from "vitest";
import { english, LANGUAGES, languageOf, type Texts, textsFor } from "../../../../core/contract/texts/texts.ts";
import { type Sample, samplesOf } from "./samples.ts";

/** Texts that are the same in both languages: names, units, marks and words that both share. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [],
  es: ["budget.resources.tokens", "budget.minutes", "budget.hours"],
};

const others = Object.entries(LANGUAGES).filter(([language]) => language !== "en");
const source = samplesOf(english);
const byPath = (samples: readonly Sample[]) => new Map(samples.map((sample) => [sample.path, sample]));

describe.each(others)("given the texts in %s", (language, texts: Texts) => {
  const own = byPath(samplesOf(texts));

  it("then none is missing and none is left over", () => {
    expect([...own.keys()].sort()).toEqual(source.map(({ path }) => path).sort());
  });

  it("then none is empty", () => {
    expect([...own.values()].filter(({ text }) => text.trim() === "").map(({ path }) => path)).toEqual([]);
  });

  it("then each is translated, apart from those that are the same in both languages", () => {
    const same = source.filter(({ path, text }) => own.get(path)?.text === text).map(({ path }) => path);
    expect(same.filter((path) => !isListed(language, path))).toEqual([]);
    expect(
      (SAME[language] ?? []).filter((path) => !same.includes(path) && !same.some((one) => one.startsWith(`${path}(`))),
    ).toEqual([]);
  });

  it("then each has the values and the commands of the English text", () => {
    const differing = source.flatMap(({ path, text }) => {
      const [expected, found] = [keptIn(text), keptIn(own.get(path)?.text ?? "")];
      return expected.join() === found.join() ? [] : [`${path}: ${expected.join()} and ${found.join()}`];
    });
    expect(differing).toEqual([]);
  });
});

const isListed = (language: string, path: string): boolean =>
  (SAME[language] ?? []).some((listed) => path === listed || path.startsWith(`${listed}(`));

/** The parts of a text that no translation changes: values, commands and other code. Examples may differ. */
const keptIn = (text: string): string[] =>
  [...new Set([...text.matchAll(/\[\d+\]|`[^`]+`/g)].map(([found]) => found))]
    .filter((found) => !/\/(timezone|language) /.test(found))
    .sort();

describe("given a locale, when its texts are asked for", () => {
  it.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["de_CH", "de"],
    ["DE", "de"],
    ["es-419", "es"],
    ["en-US", "en"],
  ])("%s has the language %s", (locale, language) => {
    expect(languageOf(locale)).toBe(language);
    expect(textsFor(locale)).toBe(LANGUAGES[language as keyof typeof LANGUAGES]);
  });

  it.each(["fr", "", "deu", "est", "constructor", "d", undefined])(
    "%s has no texts of its own, so they are English",
    (locale) => {
      expect(languageOf(locale)).toBeUndefined();
      expect(textsFor(locale)).toBe(english);
    },
  );
});

describe("given a number, when a text counts with it", () => {
  it("then one and several have the right form in each language", () => {
    const { de, es, en } = LANGUAGES;
    const counted = (texts: Texts) => [1, 2].map((count) => texts.cancel.answers(count));
    expect([en, de, es].map(counted)).toEqual([
      ["1 answer", "2 answers"],
      ["1 Antwort", "2 Antworten"],
      ["1 respuesta", "2 respuestas"],
    ]);
    expect([en, de, es].map((texts) => [1, 3].map((count) => texts.rhythm.every.day(count)))).toEqual([
      ["every day", "every 3 days"],
      ["jeden Tag", "alle 3 Tage"],
      ["cada día", "cada 3 días"],
    ]);
  });
});
