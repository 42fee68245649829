import type { List, ListItem, Nodes, Root, RootContent, Table } from "mdast";
import { parseMarkdown } from "../../contract/markdown/parse-markdown.ts";
import { escapeXml, withoutTemplates } from "./escape.ts";

/** Deeper quotes and lists are drawn at this depth: a phone has no room for more. */
const MAX_DEPTH = 4;

/**
 * Markdown as the XML that Teams shows on every client: no headings, tables, pictures or real lists, because phones
 * leave those out. All mark-up is ours; whatever the text holds is escaped.
 */
export const renderMarkdown = (markdown: string): string => {
  const root = parseMarkdown(markdown);
  // once more for the whole: an empty link between two braces leaves them side by side
  return withoutTemplates(drawBlocks(root.children, { depth: 0, targets: linkTargets(root) }));
};

interface Drawing {
  readonly depth: number;
  readonly targets: ReadonlyMap<string, string>;
}

const deeper = (drawing: Drawing): Drawing => ({ ...drawing, depth: drawing.depth + 1 });

const linkTargets = (root: Root): Map<string, string> =>
  new Map(root.children.flatMap((node) => (node.type === "definition" ? [[node.identifier, node.url]] : [])));

const drawBlocks = (nodes: readonly RootContent[], drawing: Drawing): string =>
  nodes.map((node) => drawBlock(node, drawing)).join("");

const drawBlock = (node: RootContent, drawing: Drawing): string => {
  switch (node.type) {
    case "paragraph":
      return `<p>${drawPhrases(node.children, drawing)}</p>`;
    case "heading":
      return `<p><strong>${drawPhrases(node.children, drawing)}</strong></p>`;
    case "blockquote": {
      const inside = drawBlocks(node.children, deeper(drawing));
      return drawing.depth < MAX_DEPTH ? `<blockquote>${inside}</blockquote>` : inside;
    }
    case "code":
      return `<pre>${escapeXml(node.value)}</pre>`;
    case "list":
      return drawList(node, drawing);
    case "table":
      return `<pre>${escapeXml(plainTable(cellsOf(node)))}</pre>`;
    case "thematicBreak":
      return "<p>———</p>";
    case "html":
      return `<p>${escapeXml(node.value)}</p>`;
    case "definition":
      return `<p>[${escapeXml(node.label ?? node.identifier)}]: ${escapeXml(node.url)}</p>`;
    case "footnoteDefinition":
      return `<p>[${escapeXml(node.identifier)}]</p>${drawBlocks(node.children, drawing)}`;
    default:
      return drawPhrase(node, drawing);
  }
};

/** Lines that begin with a bullet or number; code, quotes and tables stand between them on their own. */
const drawList = (list: List, drawing: Drawing): string => {
  let drawn = "";
  let lines: string[] = [];
  const endLines = () => {
    if (lines.length > 0) drawn += `<p>${lines.join("<br/>")}</p>`;
    lines = [];
  };
  for (const piece of piecesOf(list, drawing, 0)) {
    if ("line" in piece) lines.push(piece.line);
    else {
      endLines();
      drawn += piece.block;
    }
  }
  endLines();
  return drawn;
};

function* piecesOf(list: List, drawing: Drawing, level: number): Generator<{ line: string } | { block: string }> {
  const indent = "&nbsp;".repeat(4 * Math.min(level, MAX_DEPTH));
  for (const [index, item] of list.children.entries()) {
    let sign = `${bulletOf(list, item, index)} `;
    if (item.children[0]?.type !== "paragraph") yield { line: `${indent}${sign}` };
    for (const child of item.children) {
      if (child.type === "paragraph") {
        yield { line: `${indent}${sign}${drawPhrases(child.children, drawing)}` };
        sign = "&nbsp;&nbsp;";
      } else if (child.type === "list") yield* piecesOf(child, drawing, level + 1);
      else yield { block: drawBlock(child, deeper(drawing)) };
    }
  }
}

const bulletOf = ({ ordered, start }: List, { checked }: ListItem, index: number): string => {
  if (typeof checked === "boolean") return checked ? "☑" : "☐";
  return ordered ? `${(start ?? 1) + index}.` : "•";
};

const drawPhrases = (nodes: readonly Nodes[], drawing: Drawing): string =>
  nodes.map((node) => drawPhrase(node, drawing)).join("");

const drawPhrase = (node: Nodes, drawing: Drawing): string => {
  switch (node.type) {
    case "text":
      return escapeXml(node.value).replaceAll("\n", "<br/>");
    case "html":
      return escapeXml(node.value);
    case "break":
      return "<br/>";
    case "strong":
      return `<strong>${drawPhrases(node.children, drawing)}</strong>`;
    case "emphasis":
      return `<em>${drawPhrases(node.children, drawing)}</em>`;
    case "delete":
      return `<strike>${drawPhrases(node.children, drawing)}</strike>`;
    case "inlineCode":
      return `<code>${escapeXml(node.value)}</code>`;
    case "link":
      return drawLink(node.url, drawPhrases(node.children, drawing));
    case "linkReference":
      return drawLink(drawing.targets.get(node.identifier) ?? "", drawPhrases(node.children, drawing));
    case "image":
      return drawLink(node.url, escapeXml(node.alt || "picture"));
    case "imageReference":
      return drawLink(drawing.targets.get(node.identifier) ?? "", escapeXml(node.alt || "picture"));
    case "footnoteReference":
      return `[${escapeXml(node.identifier)}]`;
    default:
      return "children" in node ? drawPhrases(node.children, drawing) : "";
  }
};

const drawLink = (url: string, shown: string): string => {
  if (/^(https?|mailto):/i.test(url) && URL.canParse(url))
    return `<a href="${escapeXml(new URL(url).href)}">${shown}</a>`;
  return url === "" ? shown : `${shown} (${escapeXml(url)})`;
};

const cellsOf = (table: Table): string[][] => table.children.map((row) => row.children.map((cell) => plainText(cell)));

const plainText = (node: Nodes): string => {
  if ("value" in node) return node.value;
  if ("children" in node) return node.children.map(plainText).join("");
  return node.type === "image" ? (node.alt ?? "") : "";
};

/** Cells as text in columns of equal width, for platforms without tables. The first row is the head. */
const plainTable = (rows: readonly (readonly string[])[]): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(1, ...rows.map((row) => widthOf(row[at] ?? ""))));
  const lines = rows.map((row) => widths.map((width, at) => padded(row[at] ?? "", width)).join(" | "));
  const rule = widths.map((width) => "-".repeat(width)).join("-+-");
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].map((line) => line.trimEnd()).join("\n");
};

/** A wider column than this is not filled up: one long cell would push all others out of sight. */
const WIDEST = 40;

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

const widthOf = (text: string): number => Math.min(WIDEST, [...text].length);
