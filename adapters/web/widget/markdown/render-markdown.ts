import { Marked } from "marked";
import { plainFragment } from "./plain-fragment.ts";
import { safeFragment } from "./safe-fragment.ts";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/**
 * HTML in a text is shown as what it is. An image is named and linked, never loaded: its address could carry secrets.
 * Headings are the page's business: those of a message would break the order of its own.
 */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escaped(text),
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
    heading({ tokens }) {
      return `<p><strong>${this.parser.parseInline(tokens)}</strong></p>`;
    },
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
  },
});

/** Markdown as nodes that do nothing: text, lists, tables, code and links. */
export const renderMarkdown = (markdown: string): DocumentFragment => {
  try {
    return safeFragment(marked.parse(markdown, { async: false }));
  } catch {
    // Nested too deep, for one.
    return plainFragment(markdown);
  }
};
