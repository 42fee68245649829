import { Marked } from "marked";
import { plainFragment } from "./plain-fragment.ts";
import { tokenNodes } from "./token-nodes.ts";

const marked = new Marked({ gfm: true, breaks: true });

/** Markdown as nodes that do nothing: text, lists, tables, code and links. */
export const renderMarkdown = (markdown: string): DocumentFragment => {
  try {
    const fragment = document.createDocumentFragment();
    fragment.append(...tokenNodes(marked.lexer(markdown)));
    return fragment;
  } catch {
    // Nested too deep, for one.
    return plainFragment(markdown);
  }
};
