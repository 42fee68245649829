import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { type Prose, withoutQuotations } from "./prose.ts";

type Node = ReturnType<typeof fromMarkdown>["children"][number];

/** Headings, paragraphs and cells of a page; code is left out. */
export const documentProse = (markdown: string): Prose[] =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }).children.flatMap(proseIn);

const proseIn = (node: Node): Prose[] => {
  if (node.type === "paragraph" || node.type === "heading" || node.type === "tableCell") {
    return [{ kind: "document", text: withoutQuotations(textOf(node)), line: node.position?.start.line ?? 1 }];
  }
  return "children" in node ? node.children.flatMap(proseIn) : [];
};

const textOf = (node: Node): string => {
  if (node.type === "text") return node.value;
  if (node.type === "inlineCode") return "`…`";
  if (node.type === "break") return "\n";
  return "children" in node ? node.children.map(textOf).join("") : "";
};
