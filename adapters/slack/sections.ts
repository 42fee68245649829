import { lastBreakWithin, MIN_PART_LENGTH, splitMarkdown } from "../contract/markdown/split-markdown.ts";
import { escapeMrkdwn } from "./escape-mrkdwn.ts";
import type { Written } from "./mrkdwn.ts";
import { FENCE, writeMrkdwn } from "./mrkdwn.ts";

/** What the text of one section block may hold. */
export const MAX_SECTION = 3_000;

/** Markdown as texts for section blocks: as few as possible, each within Slack's limit, nothing lost. */
export const sectionsOf = (markdown: string): string[] => join(writeMrkdwn(markdown).flatMap(fitting));

/** A text as it was written: nothing in it is mark-up. */
export const plainSections = (text: string): string[] => splitLines(escapeMrkdwn(text.trim()) || "…");

const fitting = (written: Written): string[] => {
  const { text, code, source } = written;
  if (text.length <= MAX_SECTION) return [text];
  if (code) return splitCode(text);
  // Mark-up that is cut is no mark-up: what is cut is the markdown it was made of.
  const room = Math.max(MIN_PART_LENGTH, Math.ceil(source.length / 2));
  const halves = splitMarkdown(source, room);
  return halves.length < 2 ? splitLines(text) : halves.flatMap((half) => writeMrkdwn(half).flatMap(fitting));
};

const splitCode = (text: string): string[] =>
  splitLines(text.slice(FENCE.length + 1, -FENCE.length - 1), MAX_SECTION - 2 * FENCE.length - 2).map(
    (lines) => `${FENCE}\n${lines}\n${FENCE}`,
  );

const splitLines = (text: string, room = MAX_SECTION): string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const newline = rest.lastIndexOf("\n", room);
    const cut = newline > 0 ? newline : beforeEntity(rest, lastBreakWithin(rest, room));
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(newline > 0 ? cut + 1 : cut);
  }
  return [...pieces, rest];
};

/** `&amp;` in two is not the sign any more. */
const beforeEntity = (text: string, cut: number): number => {
  const begun = /&[a-z]{0,4}$/.exec(text.slice(0, cut));
  return begun && begun.index > 0 && /^[a-z]{0,4};/.test(text.slice(cut)) ? begun.index : cut;
};

const join = (texts: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const text of texts) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + 2 + text.length <= MAX_SECTION) joined.splice(-1, 1, `${last}\n\n${text}`);
    else joined.push(text);
  }
  return joined;
};
