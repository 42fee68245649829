import type { Measure } from "../contract/markdown/split-markdown.ts";
import { escapeXml } from "./inert.ts";

/** Teams takes 100 kB, but older ways through it only 28: this is for all of them, less what the call itself adds. */
export const MOST_BYTES = 27 * 1024;

/**
 * The longest text of a part, as `writtenSize` measures it. What is left is for the mark-up that drawing adds, for the
 * anchor and for buttons.
 */
export const LONGEST_PART = 12 * 1024;

/** Teams counts two bytes for each UTF-16 unit; on the way to it some characters have three. The larger one counts. */
export const bytesOf = (json: string): number => Math.max(2 * json.length, Buffer.byteLength(json));

/** A text as it was written, without drawing its markdown: what is sent when the drawing would be too large. */
export const asWritten = (markdown: string): string => escapeXml(markdown).replaceAll("\n", "<br/>");

const QUOTES = bytesOf('""');

/** How long a text is in a message that has it as it was written. */
export const writtenSize: Measure = (markdown) => bytesOf(JSON.stringify(asWritten(markdown))) - QUOTES;
