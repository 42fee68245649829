import { maskSecrets } from "./mask-secrets.ts";
import { dropInvisible, stripMarkup } from "./strip-markup.ts";

export const MAX_SUMMARY_GRAPHEMES = 80;
const EMPTY_SUMMARY = "(attachment or empty message)";
/** A summary uses only this much of a text, which bounds the work for hostile input. */
const MAX_READ_CHARS = 4_000;

/** Words, spaces and stops: no secret, mark-up or control character is possible. Most messages match. */
const PLAIN = /^[A-Za-z0-9]{1,14}(?:[,.!?]? [A-Za-z0-9]{1,14})*[,.!?]?$/;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Summarises a prompt in one line that the whole audience may see (O4). */
export const summarisePrompt = (text: string, max = MAX_SUMMARY_GRAPHEMES): string => {
  if (text.length <= max && PLAIN.test(text)) return text;
  const visible = dropInvisible(firstPart(text));
  // Masked twice, because mark-up inside a secret may hide it from the first pass.
  const plain = maskSecrets(stripMarkup(maskSecrets(visible)));
  // The hook marks anchors, so no prompt may contain one (O16).
  const folded = plain
    .replace(/[↳⤷]/g, "→")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return folded === "" ? EMPTY_SUMMARY : cutAtGraphemes(folded, max);
};

/** At most `max` graphemes including the "…". Cuts before a word, unless that would drop half of the text. */
export const cutAtGraphemes = (text: string, max: number): string => {
  // No grapheme is shorter than a UTF-16 unit.
  if (text.length <= max) return text;
  let count = 0;
  let room = 0;
  for (const { index } of graphemes.segment(text)) {
    if (count === max - 1) room = index;
    if (count++ === max) {
      const cut = text.slice(0, room);
      const atWord = text[room] === " " ? room : cut.lastIndexOf(" ");
      return `${cut.slice(0, atWord > room / 2 ? atWord : room).trimEnd()}…`;
    }
  }
  return text;
};

const firstPart = (text: string): string => {
  if (text.length <= MAX_READ_CHARS) return text;
  const part = text.slice(0, MAX_READ_CHARS);
  const lastSpace = part.search(/\s\S*$/);
  return lastSpace > 0 ? part.slice(0, lastSpace) : part;
};

const storedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
/** JSON needs six bytes for a control character. */
const MAX_BYTES_PER_CHAR = 6;

/** Truncates a text to at most `max` stored bytes, with a note of the original size. */
export const cutToBytes = (text: string, max: number): string => {
  if (text.length * MAX_BYTES_PER_CHAR + 2 <= max) return text;
  const bytes = storedBytes(text);
  if (bytes <= max) return text;
  const note = `\n[cut: ${kilobytes(bytes)} kB, only the beginning is shown]`;
  let cut = text.slice(0, Math.floor((text.length * max) / bytes));
  while (storedBytes(cut + note) > max) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  return cut.replace(/[\uD800-\uDBFF]$/, "") + note;
};

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);
