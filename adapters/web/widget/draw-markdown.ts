import { element } from "./dom.ts";
import type { Block, Inline } from "./parse-markdown.ts";
import { parseMarkdown } from "./parse-markdown.ts";

export const drawMarkdown = (markdown: string): Node[] => parseMarkdown(markdown).map(drawBlock);

const drawBlock = (block: Block): Node => {
  if (block.kind === "code") return element("pre", { tabindex: "0" }, element("code", {}, block.text));
  if (block.kind === "list") {
    return element(
      block.ordered ? "ol" : "ul",
      {},
      ...block.items.map((item) => element("li", {}, ...item.map(drawInline))),
    );
  }
  const lines = block.lines.flatMap((line, index) => [...(index > 0 ? [element("br")] : []), ...line.map(drawInline)]);
  return block.kind === "heading" ? element("p", {}, element("strong", {}, ...lines)) : element("p", {}, ...lines);
};

const drawInline = (inline: Inline): Node | string => {
  if (inline.kind === "bold") return element("strong", {}, inline.text);
  if (inline.kind === "code") return element("code", {}, inline.text);
  if (inline.kind === "link") {
    return element("a", { href: inline.href, target: "_blank", rel: "noopener noreferrer nofollow" }, inline.text);
  }
  return inline.text;
};
