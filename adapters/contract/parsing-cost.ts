import { FenceTracker } from "./fence-tracker.ts";
import { containersIn, MAX_CONTAINERS } from "./markdown-nesting.ts";

/**
 * The parser is quadratic in the signs that can open or close something inline, and in the containers of a line.
 * Measured with micromark 4 and GFM on one loaded core: 6,000 `*` in one paragraph 1 s, 6,000 characters of nested
 * images 0.9 s, 4,000 of `- - -` 1.9 s and then a stack overflow. At these bounds it takes 40 ms for 6,000 characters.
 */
const MAX_SIGNS_SQUARED = 500_000;
/** Summed up over all lines: eight deep in 100 lines. */
const MAX_CONTAINERS_SQUARED = 6_400;
const MAX_LINES = 600;
/** The longest part that any of our channels draws has about 6,000. */
const MAX_CHARS = 16_000;

/** `&` ends autolinks, `<` begins HTML, `!` an image; all others pair with each other. */
const SIGNS = /[*_~[\]!<&]/g;
const ITEM = /^(?: {0,3}[-*+]|\d{1,9}([.)]))[ \t]+\S/;

/** Why a text is too costly to parse, or nothing. Takes one pass, and errs towards "too costly". */
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

/** Counts signs by paragraph. What it cannot tell for certain counts as part of the same paragraph. */
class Scan {
  #closedParagraphs = 0;
  #signs = 0;
  #listSign: string | undefined;

  /** Summed up over the paragraphs so far, the current one included. */
  signsSquared(line: string): number {
    if (line.trim() === "" || this.#beginsItem(line)) this.endParagraph();
    this.#signs += line.match(SIGNS)?.length ?? 0;
    return this.#closedParagraphs + this.#signs ** 2;
  }

  endParagraph(): void {
    this.#closedParagraphs += this.#signs ** 2;
    this.#signs = 0;
  }

  /** A number other than 1 begins an item only behind an item of its kind. */
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
