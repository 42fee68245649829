import { en } from "../texts/en.ts";
import { languageOf, type Texts, type Translation } from "../texts/texts.ts";
import { LazyScript } from "./lazy-script.ts";

/** The texts in the reader's language: English ones until the script of another language is loaded. */
export const textsFor = (
  locales: readonly string[],
  urlOf: (language: string) => string,
  loaded: () => void,
): Texts => {
  const texts = { ...en };
  const language = languageOf(locales);
  if (language === "en") return texts;
  const use = () => Object.assign(texts, window.mooringTexts?.[language]);
  if (window.mooringTexts?.[language]) use();
  else
    new LazyScript(urlOf(language), () => {
      use();
      loaded();
    }).load();
  return texts;
};

declare global {
  interface Window {
    mooringTexts?: Record<string, Translation>;
  }
}
