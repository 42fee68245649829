import { AppError } from "../../core/contract/app-error.ts";
import { CLOSING_ROOM, openFenceAt, REOPENING_ROOM, withFenceClosed } from "./code-fence.ts";
import { lastBreakWithin } from "./text-break.ts";

/** Room for a fence on both sides and as much text between them. */
export const SMALLEST_PART = 2 * (REOPENING_ROOM + CLOSING_ROOM);

/** How long a text is, as a platform counts it: never less for a longer text. */
export type Measure = (text: string) => number;

const utf16Units: Measure = ({ length }) => length;

/**
 * Splits at a paragraph, else a line, a sentence, a word, a grapheme. Nothing is lost but white space at the cuts;
 * a code fence that is cut is closed, and reopened in the next part. Lengths are what `measure` says.
 */
export const splitMarkdown = (
  markdown: string,
  maxLength = Number.POSITIVE_INFINITY,
  measure: Measure = utf16Units,
): string[] => {
  if (maxLength < SMALLEST_PART) {
    throw new AppError(
      "bad-input",
      `parts of ${maxLength} are too short to split text into; use ${SMALLEST_PART} or more`,
    );
  }
  const parts: string[] = [];
  const closingRoom = /```|~~~/.test(markdown) ? measure(" ".repeat(CLOSING_ROOM)) : 0;
  let prefix = "";
  let rest = markdown;
  while (isLonger(rest, maxLength - measure(prefix) - closingRoom, measure)) {
    const room = unitsWithin(rest, maxLength - measure(prefix) - closingRoom, measure);
    const cut = beforeFenceLine(rest, lastBreakWithin(rest, room));
    const taken = prefix + rest.slice(0, cut);
    const after = rest.slice(cut);
    const fence = openFenceAt(taken);
    parts.push(fence ? withFenceClosed(taken) : taken.trimEnd());
    const endOfFence = fence && closingLine(after);
    if (fence && !endOfFence?.trim().startsWith(fence.marker)) {
      prefix = `${fence.reopen}\n`;
      rest = after;
    } else {
      prefix = "";
      rest = withoutWhiteSpaceAtCut(after.slice(endOfFence?.length ?? 0), taken);
    }
  }
  const last = withFenceClosed(prefix + rest);
  return parts.length > 0 && last.trim() === "" ? parts : [...parts, last];
};

/** Measures no more than it takes to decide: to measure all that is left for each part would be quadratic. */
const isLonger = (text: string, room: number, measure: Measure): boolean => {
  const start = text.slice(0, MEASURED_AT_ONCE * Math.min(room + 1, text.length));
  return measure(start) > room || (start.length < text.length && measure(text) > room);
};

/** For platforms that count fewer than UTF-16 units. */
const MEASURED_AT_ONCE = 4;

/** How many UTF-16 units of a text may be taken: not more than the room, even if the platform counts fewer. */
const unitsWithin = (text: string, room: number, measure: Measure): number => {
  let most = Math.min(text.length, room);
  if (measure(text.slice(0, most)) <= room) return most;
  let least = 1;
  while (least < most - 1) {
    const middle = Math.floor((least + most) / 2);
    if (measure(text.slice(0, middle)) <= room) least = middle;
    else most = middle;
  }
  return least;
};

/** The line at the start of a text that would close a fence; the part before has closed it already. */
const closingLine = (text: string): string | undefined => /^\s*(?:`{3,16}|~{3,16})[ \t]*(?:\r?\n|$)/.exec(text)?.[0];

/** A fence that opens just before the cut moves to the next part, which has its code. */
const beforeFenceLine = (text: string, cut: number): number => {
  const opening = /\n {0,3}(?:`{3,16}|~{3,16})[^\n]*\n?$/.exec(text.slice(0, cut));
  return opening && openFenceAt(opening[0]) && openFenceAt(text.slice(0, cut)) ? Math.max(1, opening.index) : cut;
};

/** A line that begins the next part keeps its indentation. */
const withoutWhiteSpaceAtCut = (after: string, before: string): string =>
  (before.endsWith("\n") ? after : after.replace(/^[ \t]+/, "")).replace(/^(?:[ \t]*\r?\n)+/, "");
