import { plainFragment } from "./plain-fragment.ts";
import { readMarkdown } from "./read-markdown.ts";
import { tokenNodes } from "./token-nodes.ts";

declare global {
  interface Window {
    mooringMarkdown?: typeof renderMarkdown;
  }
}

/** Renders markdown as inert nodes: text, lists, tables, code and links. */
const renderMarkdown = (markdown: string): DocumentFragment => {
  const tokens = readMarkdown(markdown);
  if (tokens === undefined) return plainFragment(markdown);
  const fragment = document.createDocumentFragment();
  fragment.append(...tokenNodes(tokens));
  return fragment;
};

// The formatter of the widget reads this global; loading the script twice is harmless.
window.mooringMarkdown = renderMarkdown;
