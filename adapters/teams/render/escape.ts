import type { Measure } from "../../contract/markdown/split-markdown.ts";

/**
 * Teams replaces `{{DATE(…)}}` and `{{TIME(…)}}`; a word joiner between the braces keeps them as text. Mark-up between
 * the braces is ignored, because Teams removes it before it looks for templates.
 */
export const withoutTemplates = (text: string): string => text.replace(/\{(?=(?:<[^<>]*>)*\{)/g, "{\u2060");

/** Replaces control characters, which XML forbids, and lone surrogates. */
export const wellFormed = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/gu, "\ufffd");

/** Escapes text for XML, so that it contains no mark-up of Teams. */
export const escapeXml = (text: string): string =>
  withoutTemplates(wellFormed(text))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Teams accepts 100 kB, but some older endpoints only 28: this fits all of them, less the overhead of the call. */
export const MAX_BYTES = 27 * 1024;

/**
 * Maximum text length of a part in units of `writtenSize`. The rest is room for mark-up, the anchor and buttons.
 */
export const MAX_PART_LENGTH = 12 * 1024;

/** Teams counts two bytes per UTF-16 unit, but some characters take three in transit. Returns the larger count. */
export const bytesOf = (json: string): number => Math.max(2 * json.length, Buffer.byteLength(json));

/** The escaped source text, which is sent if the rendered markdown would be too large. */
export const asWritten = (markdown: string): string => escapeXml(markdown).replaceAll("\n", "<br/>");

const QUOTES = bytesOf('""');

/** The size of a text in a message that holds its escaped source. */
export const writtenSize: Measure = (markdown) => bytesOf(JSON.stringify(asWritten(markdown))) - QUOTES;
