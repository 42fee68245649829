import { AppError } from "../../../core/contract/app-error.ts";

/** Longer runs are ornaments: closing and reopening them would fill a part. */
const MAX_MARKER = 16;
const MAX_LANGUAGE = 32;
const FENCE_LINE = new RegExp(`^ {0,3}(\`{3,${MAX_MARKER}}(?!\`)|~{3,${MAX_MARKER}}(?!~))([^\\n]*)$`, "gm");

/** Maximum length that reopening and closing a fence add to a part. */
const REOPENING_ROOM = MAX_MARKER + MAX_LANGUAGE + 1;
const CLOSING_ROOM = 1 + MAX_MARKER;

/** Room for a fence on both sides and as much text between them. */
export const MIN_PART_LENGTH = 2 * (REOPENING_ROOM + CLOSING_ROOM);

/** The length of a text as a platform counts it; monotonic in the text. */
export type Measure = (text: string) => number;

const utf16Units: Measure = ({ length }) => length;

/**
 * Splits at a paragraph, else a line, a sentence, a word, a grapheme. Only white space at the cuts is lost; a code
 * fence across a cut is closed, and reopened in the next part. Lengths are in units of `measure`.
 */
export const splitMarkdown = (
  markdown: string,
  maxLength = Number.POSITIVE_INFINITY,
  measure: Measure = utf16Units,
): string[] => {
  if (maxLength < MIN_PART_LENGTH) {
    throw new AppError(
      "bad-input",
      `parts of ${maxLength} are too short to split text into; use ${MIN_PART_LENGTH} or more`,
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

/** Measures only as much as the decision needs: measuring the whole rest for each part would be quadratic. */
const isLonger = (text: string, room: number, measure: Measure): boolean => {
  const start = text.slice(0, MEASURED_AT_ONCE * Math.min(room + 1, text.length));
  return measure(start) > room || (start.length < text.length && measure(text) > room);
};

/** For platforms whose count is lower than the number of UTF-16 units. */
const MEASURED_AT_ONCE = 4;

/** Number of UTF-16 units that fit: at most `room`, even if the platform counts fewer. */
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

/** The line at the start of a text that closes a fence; the previous part already ends with its own closing line. */
const closingLine = (text: string): string | undefined => /^\s*(?:`{3,16}|~{3,16})[ \t]*(?:\r?\n|$)/.exec(text)?.[0];

/** A fence that opens just before the cut moves to the next part, which holds its code. */
const beforeFenceLine = (text: string, cut: number): number => {
  const opening = /\n {0,3}(?:`{3,16}|~{3,16})[^\n]*\n?$/.exec(text.slice(0, cut));
  return opening && openFenceAt(opening[0]) && openFenceAt(text.slice(0, cut)) ? Math.max(1, opening.index) : cut;
};

/** A line that begins the next part keeps its indentation. */
const withoutWhiteSpaceAtCut = (after: string, before: string): string =>
  (before.endsWith("\n") ? after : after.replace(/^[ \t]+/, "")).replace(/^(?:[ \t]*\r?\n)+/, "");

/** A code fence that is open at the end of a text. */
export interface OpenFence {
  /** Closes the fence. */
  readonly marker: string;
  /** The line that opens it again in the next part. */
  readonly reopen: string;
}

/** Follows CommonMark: a fence is closed by a line of the same sign, at least as long, with nothing after it. */
export const openFenceAt = (text: string): OpenFence | undefined => {
  let open: OpenFence | undefined;
  for (const [, marker = "", info = ""] of text.matchAll(FENCE_LINE)) {
    if (open === undefined) {
      if (marker.startsWith("`") && info.includes("`")) continue;
      open = { marker, reopen: `${marker}${languageOf(info)}` };
    } else if (marker.startsWith(open.marker) && info.trim() === "") {
      open = undefined;
    }
  }
  return open;
};

export const withFenceClosed = (text: string): string => {
  const fence = openFenceAt(text);
  if (fence === undefined) return text;
  return text.endsWith("\n") ? `${text}${fence.marker}` : `${text}\n${fence.marker}`;
};

const languageOf = (info: string): string => {
  const [language = ""] = info.trim().split(/\s/, 1);
  return language.length <= MAX_LANGUAGE ? language : "";
};

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** From the best place to cut to the worst. Each pattern matches the text before the cut. */
const KINDS_OF_BREAK = [/\n[ \t]*\n\s*/g, /\n/g, /[.!?…][)\]"'”’»*_]*\s+|[。！？]/gu, /\s+/g];

/** A cut below this share of the room makes the part too short; the next kind of break may do better. */
const MIN_FILL = 0.25;

/** Where to cut `text` so that at most `room` units stay before the cut: always after at least one character. */
export const lastBreakWithin = (text: string, room: number): number => {
  const segments = graphemes.segment(text.slice(0, room + MAX_GRAPHEME));
  const isWhole = (at: number) => segments.containing(at)?.index === at;
  for (const kind of KINDS_OF_BREAK) {
    const ends = [...text.slice(0, room).matchAll(kind)].map((match) => match.index + match[0].length);
    const best = ends.findLast((at) => !opensFenceByAccident(text, at) && isWhole(at));
    if (best !== undefined && best >= room * MIN_FILL) return best;
  }
  const start = segments.containing(room)?.index ?? room;
  return start > 0 ? start : beforeSurrogate(text, room);
};

const MAX_GRAPHEME = 64;

/** Three backticks within a line mean nothing, but at the start of a part they would open a fence. */
const opensFenceByAccident = (text: string, at: number): boolean =>
  text[at - 1] !== "\n" && /^[ \t]*(?:```|~~~)/.test(text.slice(at, at + 16));

const beforeSurrogate = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at);
