const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** From the best place to cut to the worst. Each matches the text that stays before the cut. */
const KINDS_OF_BREAK = [/\n[ \t]*\n\s*/g, /\n/g, /[.!?…][)\]"'”’»*_]*\s+|[。！？]/gu, /\s+/g];

/** A cut before this share of the room leaves too short a part, as long as a lesser kind of break does better. */
const LEAST_FILL = 0.25;

/** Where to cut `text` so that at most `room` units stay before the cut: always after at least one character. */
export const lastBreakWithin = (text: string, room: number): number => {
  const segments = graphemes.segment(text.slice(0, room + LONGEST_GRAPHEME));
  const isWhole = (at: number) => segments.containing(at)?.index === at;
  for (const kind of KINDS_OF_BREAK) {
    const ends = [...text.slice(0, room).matchAll(kind)].map((match) => match.index + match[0].length);
    const best = ends.findLast((at) => !opensFenceByAccident(text, at) && isWhole(at));
    if (best !== undefined && best >= room * LEAST_FILL) return best;
  }
  const start = segments.containing(room)?.index ?? room;
  return start > 0 ? start : beforeSurrogate(text, room);
};

const LONGEST_GRAPHEME = 64;

/** Three backticks in the middle of a line mean nothing; at the start of a part they would. */
const opensFenceByAccident = (text: string, at: number): boolean =>
  text[at - 1] !== "\n" && /^[ \t]*(?:```|~~~)/.test(text.slice(at, at + 16));

const beforeSurrogate = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at);
