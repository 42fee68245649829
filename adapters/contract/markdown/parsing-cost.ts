/**
 * The parser is quadratic in the signs that can open or close inline mark-up, and in the containers of a line.
 * Measured with micromark 4 and GFM on one loaded core: 6,000 `*` in one paragraph 1 s, 6,000 characters of nested
 * images 0.9 s, 4,000 of `- - -` 1.9 s and then a stack overflow. At these bounds it takes 40 ms for 6,000 characters.
 */
const MAX_SIGNS_SQUARED = 500_000;
/** Sum over all lines: eight deep in 100 lines. */
const MAX_CONTAINERS_SQUARED = 6_400;
const MAX_LINES = 600;
/** The longest part of any channel has about 6,000. */
const MAX_CHARS = 16_000;

/** `&` ends autolinks, `<` begins HTML, `!` begins an image; all others pair with each other. */
const SIGNS = /[*_~[\]!<&]/g;
const ITEM = /^(?: {0,3}[-*+]|\d{1,9}([.)]))[ \t]+\S/;

/** The reason why a text is too costly to parse, if it is. One pass; in doubt it reports a reason. */
export const tooCostlyToParse = (markdown: string): string | undefined => {
  if (markdown.length > MAX_CHARS) return `longer than ${MAX_CHARS} characters`;
  const lines = markdown.split(/\r\n|[\r\n]/);
  if (lines.length > MAX_LINES) return `more than ${MAX_LINES} lines`;
  const fences = new FenceTracker();
  const scan = new Scan();
  let containersSquared = 0;
  for (const line of lines) {
    if (fences.isCode(line)) {
      scan.endParagraph();
      continue;
    }
    const containers = containersIn(line);
    containersSquared += containers ** 2;
    if (containers > MAX_CONTAINERS || containersSquared > MAX_CONTAINERS_SQUARED) {
      return "too many quotes and lists inside each other";
    }
    if (scan.signsSquared(line) > MAX_SIGNS_SQUARED) return "too much mark-up in one paragraph";
  }
  return undefined;
};

/** Counts signs by paragraph. A line that may or may not begin a paragraph counts towards the current one. */
class Scan {
  #closedParagraphs = 0;
  #signs = 0;
  #listSign: string | undefined;

  /** Sum over the paragraphs so far, including the current one. */
  signsSquared(line: string): number {
    if (line.trim() === "" || this.#beginsItem(line)) this.endParagraph();
    this.#signs += line.match(SIGNS)?.length ?? 0;
    return this.#closedParagraphs + this.#signs ** 2;
  }

  endParagraph(): void {
    this.#closedParagraphs += this.#signs ** 2;
    this.#signs = 0;
  }

  /** A number other than 1 begins an item only after an item of the same kind. */
  #beginsItem(line: string): boolean {
    const item = ITEM.exec(line);
    if (item === null) {
      if (line.trim() === "") this.#listSign = undefined;
      return false;
    }
    const sign = item[1] ?? "-";
    const begins = sign === "-" || line.startsWith("1") || this.#listSign === sign;
    if (begins) this.#listSign = sign;
    return begins;
  }
}

const FENCE = /^(`{3,}|~{3,})(.*)$/;

/**
 * Follows a text line by line and reports which lines are certainly code. It trusts only fences that nothing can end
 * early: not indented, so that no list or quote surrounds them, and before any line that may begin HTML.
 */
export class FenceTracker {
  #fence: string | undefined;
  #mayBeHtml = false;

  isCode(line: string): boolean {
    if (this.#fence !== undefined) {
      if (isClosing(line, this.#fence)) this.#fence = undefined;
      return true;
    }
    this.#mayBeHtml ||= /^ {0,3}</.test(line);
    const [, marker, info = ""] = FENCE.exec(line) ?? [];
    if (marker === undefined || this.#mayBeHtml || (marker.startsWith("`") && info.includes("`"))) return false;
    this.#fence = marker;
    return true;
  }
}

const isClosing = (line: string, fence: string): boolean => {
  const closing = line.replace(/^ {0,3}/, "").trimEnd();
  return closing.startsWith(fence) && closing.replaceAll(fence.charAt(0), "") === "";
};

/** Deeper nesting of quotes and lists is an attack, not a text. */
export const MAX_CONTAINERS = 10;

const CONTAINER = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/y;

/** Number of quotes and list items that a line opens or continues before its text. Stops counting one above the limit. */
export const containersIn = (line: string): number => {
  let count = 0;
  CONTAINER.lastIndex = 0;
  while (count <= MAX_CONTAINERS && CONTAINER.test(line)) count++;
  return count;
};
