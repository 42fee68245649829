import type { Token } from "marked";
import { Lexer } from "marked";
import { containersIn, FenceTracker, MAX_CONTAINERS } from "../../../contract/markdown/parsing-cost.ts";

/**
 * marked is quadratic in the length of a word or a run of blanks (it searches for addresses), in the emphasis of a
 * paragraph, and in the cells of a table, because it pads short rows. Measured with marked 18 on one loaded core: a word
 * of 24,000 characters 1.2 s, as many blanks 0.8 s, 4.5 million cells 2.1 s. The limit corresponds to 50 ms.
 */
const MAX_COST = 20_000_000;
const CELL_COST = 200;
const EMPHASIS_SHARE = 25;

/** Parses markdown; undefined if that would block the page. The caller then shows the plain text. */
export const readMarkdown = (markdown: string): readonly Token[] | undefined => {
  if (isTooCostly(markdown)) return undefined;
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(markdown);
  } catch {
    // Stack overflow: the markdown is nested too deeply.
    return undefined;
  }
};

const isTooCostly = (markdown: string): boolean => {
  const fences = new FenceTracker();
  let cost = 0;
  let paragraph = { chars: 0, signs: 0, lines: 0, columns: 0 };
  for (const line of markdown.split(/\r\n|[\r\n]/)) {
    const isCode = fences.isCode(line);
    if (isCode || line.trim() === "") {
      cost += costOf(paragraph);
      paragraph = { chars: 0, signs: 0, lines: 0, columns: 0 };
    }
    if (isCode) continue;
    if (containersIn(line) > MAX_CONTAINERS) return true;
    for (const run of line.match(/\S{100,}|\s{100,}/g) ?? []) cost += run.length ** 2;
    paragraph.chars += line.length;
    paragraph.signs += line.match(/[*_~[\]<]/g)?.length ?? 0;
    paragraph.lines++;
    paragraph.columns = Math.max(paragraph.columns, line.split("|").length);
    if (cost + costOf(paragraph) > MAX_COST) return true;
  }
  return false;
};

const costOf = ({ chars, signs, lines, columns }: Record<"chars" | "signs" | "lines" | "columns", number>): number =>
  (signs * chars) / EMPHASIS_SHARE + (columns > 1 ? columns * lines * CELL_COST : 0);
