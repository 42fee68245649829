import type { List } from "mdast";
import { alignColumns, cellsOf, columnWidths } from "../contract/markdown/text-table.ts";
import { boxOf, type MarkdownDialect, MarkdownWriter } from "../contract/markdown/write-markdown.ts";

/**
 * Teams replaces `{{DATE(…)}}` and `{{TIME(…)}}`; a word joiner between the braces keeps them as text. Mark-up between
 * the braces is ignored, because Teams removes it before it looks for templates.
 */
export const withoutTemplates = (text: string): string => text.replace(/\{(?=(?:<[^<>]*>)*\{)/g, "{\u2060");

/** Replaces control characters, which XML forbids, and lone surrogates. */
export const wellFormed = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/gu, "\ufffd");

/** Escapes text for XML, so that it contains no mark-up of Teams. */
export const escapeXml = (text: string): string =>
  withoutTemplates(wellFormed(text))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Deeper quotes and lists appear at this depth, because a phone has no room for more. */
const MAX_DEPTH = 4;
const MAX_COLUMN_WIDTH = 40;

/**
 * Converts markdown to the XML that every Teams client shows: no headings, tables, pictures or real lists, because
 * phones omit those.
 */
export const renderMarkdown = (markdown: string): string =>
  // Also for the whole, because an empty link between two braces leaves them side by side.
  withoutTemplates(new MarkdownWriter(markdown, xml).blocks());

/** Lines that begin with a bullet or number; code, quotes and tables interrupt them. */
const writeList = (list: List, writer: MarkdownWriter, depth: number): string => {
  let written = "";
  let lines: string[] = [];
  const endLines = () => {
    if (lines.length > 0) written += `<p>${lines.join("<br/>")}</p>`;
    lines = [];
  };
  for (const piece of piecesOf(list, writer, depth, 0)) {
    if ("line" in piece) lines.push(piece.line);
    else {
      endLines();
      written += piece.block;
    }
  }
  endLines();
  return written;
};

type Piece = { readonly line: string } | { readonly block: string };

function* piecesOf(list: List, writer: MarkdownWriter, depth: number, level: number): Generator<Piece> {
  const indent = "&nbsp;".repeat(4 * Math.min(level, MAX_DEPTH));
  for (const [index, item] of list.children.entries()) {
    const bullet = list.ordered ? `${(list.start ?? 1) + index}.` : "•";
    let sign = `${boxOf(item) || bullet} `;
    if (item.children[0]?.type !== "paragraph") yield { line: `${indent}${sign}` };
    for (const child of item.children) {
      if (child.type === "paragraph") {
        yield { line: `${indent}${sign}${writer.inline(child.children)}` };
        sign = "&nbsp;&nbsp;";
      } else if (child.type === "list") yield* piecesOf(child, writer, depth, level + 1);
      else yield { block: writer.block(child, depth + 1) };
    }
  }
}

const link = (url: string, label: string): string => {
  if (/^(https?|mailto):/i.test(url) && URL.canParse(url))
    return `<a href="${escapeXml(new URL(url).href)}">${label}</a>`;
  return url === "" ? label : `${label} (${escapeXml(url)})`;
};

const TAGS = { strong: "strong", emphasis: "em", delete: "strike" } as const;
const paragraph = (inner: string): string => `<p>${inner}</p>`;
const preformatted = (text: string): string => `<pre>${escapeXml(text)}</pre>`;

const xml: MarkdownDialect = {
  escape: escapeXml,
  lineBreak: "<br/>",
  mark: (mark, inner) => `<${TAGS[mark]}>${inner}</${TAGS[mark]}>`,
  inlineCode: (code) => `<code>${escapeXml(code)}</code>`,
  link,
  picture: "picture",
  paragraph,
  heading: (inner) => paragraph(`<strong>${inner}</strong>`),
  quote: (inner, depth) => (depth < MAX_DEPTH ? `<blockquote>${inner}</blockquote>` : inner),
  list: writeList,
  code: preformatted,
  table: (table) => {
    const rows = cellsOf(table);
    const widths = columnWidths(rows, MAX_COLUMN_WIDTH);
    return preformatted(alignColumns(rows, widths, { gap: " | ", fill: "-", cross: "-+-" }).join("\n"));
  },
  rule: paragraph("———"),
  definition: ({ label, identifier, url }) => paragraph(`[${escapeXml(label ?? identifier)}]: ${escapeXml(url)}`),
  footnote: (mark, inner) => `${paragraph(mark)}${inner}`,
  join: (blocks) => blocks.join(""),
};
