import { decorateCode } from "./code-blocks.ts";
import { css } from "./markdown.css";
import { plainFragment } from "./plain-fragment.ts";
import { readMarkdown } from "./read-markdown.ts";
import { tokenNodes } from "./token-nodes.ts";

/** Renders markdown as inert nodes: text, lists, tables, code and links. */
const renderMarkdown = (markdown: string): DocumentFragment => {
  const tokens = readMarkdown(markdown);
  if (tokens === undefined) return plainFragment(markdown);
  const fragment = document.createDocumentFragment();
  fragment.append(...tokenNodes(tokens));
  return fragment;
};

/** The formatter of the widget reads this global; loading the script twice is harmless. */
const markdown = { css, decorateCode, render: renderMarkdown };

declare global {
  interface Window {
    mooringMarkdown?: typeof markdown;
  }
}

window.mooringMarkdown = markdown;
