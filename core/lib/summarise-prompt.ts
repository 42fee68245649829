import { maskSecrets } from "./mask-secrets.ts";
import { dropInvisible, stripMarkup } from "./strip-markup.ts";

export const MAX_SUMMARY_GRAPHEMES = 80;
const EMPTY_SUMMARY = "(attachment or empty message)";
/** More than this of a text never makes it into a summary; it also bounds the work for hostile input. */
const LOOKED_AT_CHARS = 4_000;

/** Words, spaces and stops: nothing in it could be a secret, mark-up or a control. Most of what people say is this. */
const PLAIN = /^[A-Za-z0-9]{1,14}(?:[,.!?]? [A-Za-z0-9]{1,14})*[,.!?]?$/;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What was asked, in one line that anybody in the audience may see (O4). */
export const summarisePrompt = (text: string): string => {
  if (text.length <= MAX_SUMMARY_GRAPHEMES && PLAIN.test(text)) return text;
  const visible = dropInvisible(firstPart(text));
  // Masked again at the end: mark-up inside a secret may have hidden it from the first look.
  const plain = maskSecrets(stripMarkup(maskSecrets(visible)));
  // The hook is an anchor's own sign: no prompt brings one along (O16).
  const folded = plain
    .replace(/[↳⤷]/g, "→")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return folded === "" ? EMPTY_SUMMARY : cutAtGraphemes(folded, MAX_SUMMARY_GRAPHEMES);
};

/** At most `max` graphemes, the "…" included; a cut word goes as a whole unless that would take half of the text. */
export const cutAtGraphemes = (text: string, max: number): string => {
  // No grapheme is shorter than a UTF-16 unit.
  if (text.length <= max) return text;
  let count = 0;
  let room = 0;
  for (const { index } of graphemes.segment(text)) {
    if (count === max - 1) room = index;
    if (count++ === max) {
      const kept = text.slice(0, room);
      const atWord = text[room] === " " ? room : kept.lastIndexOf(" ");
      return `${kept.slice(0, atWord > room / 2 ? atWord : room).trimEnd()}…`;
    }
  }
  return text;
};

const firstPart = (text: string): string => {
  if (text.length <= LOOKED_AT_CHARS) return text;
  const part = text.slice(0, LOOKED_AT_CHARS);
  const lastSpace = part.search(/\s\S*$/);
  return lastSpace > 0 ? part.slice(0, lastSpace) : part;
};
