import type { Shown } from "../../client/transcript.ts";
import type { Formatter } from "./formatter.ts";

const SNIPPET = 120;
const LONGEST_READ = 2_000;

/** A reply's words without its mark-up; a long one is cut. */
export const plainText = (markdown: string, formatter: Formatter): string =>
  (formatter.render(markdown.slice(0, LONGEST_READ)).textContent ?? "").replace(/\s+/g, " ").trim();

/** What a reply is about, in a line. */
export const snippetOf = ({ anchor, markdown }: Shown, formatter: Formatter): string => {
  const text = anchor?.summary ?? plainText(markdown, formatter);
  return text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
};
