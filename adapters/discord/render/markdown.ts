import type { List, ListItem, Nodes, Table } from "mdast";
import { parseMarkdown } from "../../contract/markdown/parse-markdown.ts";

/**
 * Markdown as Discord draws it: it has no tables, images and rules, and it has signs of its own. Everything goes
 * through a tree, so that text stays text: what is not mark-up of ours cannot become mark-up of Discord's (O16).
 */
export const renderMarkdown = (markdown: string): string => {
  const tree = parseMarkdown(markdown);
  const addresses = new Map<string, string>();
  for (const node of tree.children) if (node.type === "definition") addresses.set(node.identifier, node.url);
  return blocks(tree.children.map((node) => withAddresses(node, addresses)));
};

/** Links that have their address elsewhere in the text get it where they stand. */
const withAddresses = <N extends Nodes>(node: N, addresses: ReadonlyMap<string, string>): Nodes => {
  if (!("children" in node)) return node;
  const children = node.children.map((child) => withAddresses(child, addresses));
  const url = node.type === "linkReference" ? addresses.get(node.identifier) : undefined;
  return { ...node, ...(url !== undefined && { type: "link", url }), children } as Nodes;
};

const blocks = (nodes: readonly Nodes[], between = "\n\n"): string =>
  nodes
    .map(block)
    .filter((text) => text !== "")
    .join(between);

const block = (node: Nodes): string => {
  switch (node.type) {
    case "heading":
      return node.depth <= 3 ? `${"#".repeat(node.depth)} ${oneLine(node.children)}` : `**${oneLine(node.children)}**`;
    case "blockquote":
      return quoted(blocks(node.children));
    case "list":
      return list(node);
    case "code":
      return codeBlock(node.value, node.lang ?? "");
    case "table":
      return codeBlock(plainTable(node), "");
    case "thematicBreak":
      return "──────";
    case "definition":
      return "";
    case "footnoteDefinition":
      return `${escapeText(`[${node.identifier}]`)} ${blocks(node.children)}`;
    default:
      return inline(node);
  }
};

const inlines = (nodes: readonly Nodes[]): string => nodes.map(inline).join("");
const oneLine = (nodes: readonly Nodes[]): string => inlines(nodes).replace(/\s*\n\s*/g, " ");

const inline = (node: Nodes): string => {
  switch (node.type) {
    case "text":
    case "html":
      return escapeText(node.value);
    case "strong":
      return around("**", inlines(node.children));
    case "emphasis":
      return around("*", inlines(node.children));
    case "delete":
      return around("~~", inlines(node.children));
    case "inlineCode":
      return inlineCode(node.value);
    case "break":
      return "\n";
    case "link":
      return link(oneLine(node.children), node.url, plainText(node));
    case "image":
      return link(escapeText(node.alt || "image"), node.url, node.alt ?? "");
    case "footnoteReference":
      return escapeText(`[${node.identifier}]`);
    default:
      return "children" in node ? inlines(node.children) : escapeText("value" in node ? String(node.value) : "");
  }
};

/** Nothing between two marks would show the marks. */
const around = (mark: string, text: string): string => (text.trim() === "" ? text : `${mark}${text}${mark}`);

/** `text` is the label without mark-up. Where it is the address, or all of it that people write, one of them is enough. */
const link = (label: string, url: string, text: string): string => {
  if (url === `mailto:${text}`) return label;
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return label === "" ? escapeText(url) : `${label} (${escapeText(url)})`;
  const address = escapeUrl(url);
  return text === "" || text === url || url === `http://${text}` ? address : `[${label}](${address})`;
};

const inlineCode = (code: string): string => {
  const longest = Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = "`".repeat(longest + 1);
  return longest > 0 ? `${mark} ${code} ${mark}` : `${mark}${code}${mark}`;
};

/** Discord knows fences of three signs only, so three in the code are kept apart by a space that is not seen. */
const codeBlock = (code: string, language: string): string => {
  const known = /^[\w+.#-]{1,32}$/.test(language) ? language : "";
  return `\`\`\`${known}\n${code.replaceAll("``", "`\u200b`")}\n\`\`\``;
};

/** A quote in a quote would show its sign, so there is one level. */
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line.startsWith("> ") ? line : `> ${line}`))
    .join("\n");

const list = ({ ordered, start, children }: List): string =>
  children
    .map((item, index) => {
      const mark = ordered ? `${(start ?? 1) + index}. ` : "- ";
      return mark + listItem(item).replaceAll("\n", `\n${" ".repeat(mark.length)}`);
    })
    .join("\n");

const listItem = ({ checked, children }: ListItem): string => {
  const box = checked === true ? "☑ " : checked === false ? "☐ " : "";
  return box + blocks(children, "\n");
};

const MAX_TABLE_WIDTH = 80;

const plainTable = ({ children: rows }: Table): string => {
  const cells = rows.map((row) => row.children.map((cell) => plainText(cell).replace(/\s+/g, " ").trim()));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  // Wider than a screen, columns would not stand under each other anyway.
  if (widths.reduce((sum, width) => sum + width, 0) > MAX_TABLE_WIDTH)
    return cells.map((row) => row.join(" │ ")).join("\n");
  const lines = cells.map((row) =>
    widths
      .map((width, column) => (row[column] ?? "").padEnd(width))
      .join(" │ ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
};

const plainText = (node: Nodes): string => {
  if ("children" in node) return node.children.map(plainText).join("");
  return "value" in node ? String(node.value) : node.type === "image" ? (node.alt ?? "") : "";
};

/** Signs that mean something to Discord wherever they stand, and "<" before what it would replace: mentions, times, links. */
const ANYWHERE = /[\\*_~`|[\]]|<(?=[@#:/at]|id:|https?:)/g;

/** Signs that mean something at the start of a line only: small print, headings, quotes, lists. */
const AT_LINE_START = /^([^\S\n]*)(-#|(?:[-+]|#{1,3}|>>>|>)(?=\s|$))/gm;
const NUMBER_AT_LINE_START = /^([^\S\n]*\d+)(?=\.\s)/gm;

/** Text that Discord shows as it is, whatever stands in it (O16). */
export const escapeText = (text: string): string =>
  text.replace(ANYWHERE, "\\$&").replace(AT_LINE_START, "$1\\$2").replace(NUMBER_AT_LINE_START, "$1\\");

/** A closing bracket or white space would end the address of a link. */
export const escapeUrl = (url: string): string =>
  url.replace(/[()<>\s\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
