import { describe, expect, it } from "vitest";
import { StreamedText } from "../../../../adapters/web/client/transcript.ts";
import { isAccepted } from "../../../../adapters/web/widget/chat/uploads.ts";
import { contrastColor } from "../../../../adapters/web/widget/page/contrast-color.ts";
import { de } from "../../../../adapters/web/widget/texts/de.ts";
import { en } from "../../../../adapters/web/widget/texts/en.ts";
import { enMore } from "../../../../adapters/web/widget/texts/en-more.ts";
import { es } from "../../../../adapters/web/widget/texts/es.ts";
import { LANGUAGES, languageOf } from "../../../../adapters/web/widget/texts/texts.ts";
import { elapsedText } from "../../../../adapters/web/widget/view/messages/time-text.ts";
import { readOptions } from "../../../../adapters/web/widget/widget-options.ts";

describe("given text that streams in", () => {
  it("when deltas are duplicated, overlap or belong to a new attempt, then the text is right", () => {
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

describe("given the attributes of the script's tag", () => {
  it("when they are valid, then they are used; invalid ones are ignored", () => {
    expect(readOptions({})).toEqual({
      suggestions: [],
      theme: "auto",
      position: "right",
      isOpen: false,
      hasLauncher: true,
    });
    expect(
      readOptions({
        suggestions: "a | b|",
        theme: "pink",
        position: "left",
        locale: "???",
        open: "",
        launcher: "false",
      }),
    ).toEqual({ suggestions: ["a", "b"], theme: "auto", position: "left", isOpen: true, hasLauncher: false });
  });

  it.each([
    ["#ffcc00", "#000"],
    ["#0e6b5e", "#fff"],
    ["red", undefined],
  ])("when the colour is %s, then text on it is %s", (accent, ink) => {
    expect(contrastColor(accent)).toBe(ink);
  });
});

describe("given a person's languages", () => {
  it.each([
    [["de-AT", "en"], "de"],
    [["fr", "de"], "de"],
    [["es-MX"], "es"],
    [["fr"], "en"],
  ])("when they are %j, then the texts are in the first language that is available", (locales, language) => {
    expect(languageOf(locales)).toBe(language);
  });

  it("then every language has every text, and none is empty", () => {
    const catalogues = { en: { ...en, ...enMore }, de, es };
    expect(Object.keys(catalogues)).toEqual(LANGUAGES);
    for (const [language, texts] of Object.entries(catalogues)) {
      expect([language, Object.keys(texts).sort()]).toEqual([language, Object.keys(catalogues.en).sort()]);
      const empty = Object.entries(texts).filter(([, text]) => typeof text === "string" && text.trim() === "");
      expect([language, empty]).toEqual([language, []]);
      expect(Object.values(texts.states)).not.toContain("");
    }
  });
});

describe("given the file types that a page accepts", () => {
  it.each([
    ["a.png", "image/png", undefined, true],
    ["a.png", "image/png", "image/*", true],
    ["A.PDF", "application/pdf", ".pdf, image/*", true],
    ["a.exe", "application/octet-stream", ".pdf,image/*", false],
    ["a.txt", "text/plain", "text/plain", true],
  ])("when %s (%s) is picked for %s, then it is taken: %s", (name, type, accept, isTaken) => {
    expect(isAccepted({ name, type }, accept)).toBe(isTaken);
  });
});
