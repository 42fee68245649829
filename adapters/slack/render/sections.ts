import { lastBreakWithin, MIN_PART_LENGTH, splitMarkdown } from "../../contract/markdown/split-markdown.ts";
import type { Written } from "./mrkdwn.ts";
import { escapeMrkdwn, FENCE, writeMrkdwn } from "./mrkdwn.ts";

/** Slack's limit for the text of a section block. */
export const MAX_SECTION = 3_000;

/** Converts markdown to as few section texts as possible, each within Slack's limit. */
export const sectionsOf = (markdown: string): string[] => join(writeMrkdwn(markdown).flatMap(fitting));

/** The source text, fully escaped. */
export const plainSections = (text: string): string[] => splitLines(escapeMrkdwn(text.trim()) || "…");

const fitting = (written: Written): string[] => {
  const { text, code, source } = written;
  if (text.length <= MAX_SECTION) return [text];
  if (code) return splitCode(text);
  // Cutting mrkdwn could break its mark-up, so the markdown source is split and converted again.
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

/** Moves a cut that would split an entity such as `&amp;`. */
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
