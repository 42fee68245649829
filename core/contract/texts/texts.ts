import { de } from "./de/all.ts";
import { en, type Texts } from "./en/all.ts";
import { es } from "./es/all.ts";

export type { Texts } from "./en/all.ts";

/** Every language in which Mooring writes to people, by the language part of a locale. */
export const LANGUAGES: Readonly<Record<"en" | "de" | "es", Texts>> = { en, de, es };

export type Language = keyof typeof LANGUAGES;

/** The texts for models, logs and operators, and for people whose language is unknown. */
export const english: Texts = en;

/** "de-AT" and "de_AT" are German. Undefined: Mooring has no texts in this language, or the locale is unknown. */
export const languageOf = (locale: string | undefined): Language | undefined => {
  const [, language = ""] = /^([a-z]{2})(?:[-_]|$)/i.exec(locale ?? "") ?? [];
  const known = language.toLowerCase();
  return Object.hasOwn(LANGUAGES, known) ? (known as Language) : undefined;
};

/** The texts in the language of a locale; English if there are none. */
export const textsFor = (locale: string | undefined): Texts => LANGUAGES[languageOf(locale) ?? "en"];
