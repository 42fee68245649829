import { plainFragment } from "./plain-fragment.ts";
import { readMarkdown } from "./read-markdown.ts";
import { tokenNodes } from "./token-nodes.ts";

/** Markdown as nodes that do nothing: text, lists, tables, code and links. */
export const renderMarkdown = (markdown: string): DocumentFragment => {
  const tokens = readMarkdown(markdown);
  if (tokens === undefined) return plainFragment(markdown);
  const fragment = document.createDocumentFragment();
  fragment.append(...tokenNodes(tokens));
  return fragment;
};
