import type { Shown } from "../../client/transcript.ts";
import type { Formatter } from "./formatter.ts";

const MAX_SNIPPET_CHARS = 120;
const MAX_RENDERED_CHARS = 2_000;

/** A reply without its mark-up, truncated if long. */
export const plainText = (markdown: string, formatter: Formatter): string =>
  (formatter.render(markdown.slice(0, MAX_RENDERED_CHARS)).textContent ?? "").replace(/\s+/g, " ").trim();

/** One line that identifies a reply. */
export const snippetOf = ({ anchor, markdown, files = [] }: Shown, formatter: Formatter): string => {
  const text = anchor?.summary ?? (plainText(markdown, formatter) || files.map(({ name }) => name).join(", "));
  return text.length > MAX_SNIPPET_CHARS ? `${text.slice(0, MAX_SNIPPET_CHARS)}…` : text;
};
