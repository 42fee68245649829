import type { Nodes, Table } from "mdast";
import { lastBreakWithin, MIN_PART_LENGTH, splitMarkdown } from "../contract/markdown/split-markdown.ts";
import { alignColumns, cellsOf, columnWidths, type Rows } from "../contract/markdown/text-table.ts";
import { type Mark, type MarkdownDialect, MarkdownWriter, plainText } from "../contract/markdown/write-markdown.ts";

/** A block of text in mrkdwn. Lines of code can be split anywhere, other text cannot. */
export interface MrkdwnBlock {
  readonly text: string;
  readonly code: boolean;
  /** The markdown source of the block. */
  readonly source: string;
}

/** Converts markdown to mrkdwn, block by block. */
export const writeMrkdwn = (markdown: string): MrkdwnBlock[] => {
  const writer = new MarkdownWriter(markdown, mrkdwn);
  return writer.root.children.flatMap((node) => {
    const source = markdown.slice(node.position?.start.offset, node.position?.end.offset);
    const text = node.type === "table" ? writeTable(node, source) : writer.block(node);
    const code = node.type === "code" || (node.type === "table" && text.startsWith(FENCE));
    return text === "" ? [] : [{ text, code, source }];
  });
};

export const FENCE = "```";
const MARKS: Readonly<Record<Mark, string>> = { strong: "*", emphasis: "_", delete: "~" };

/** Escapes the three signs that Slack interprets in every text. Mentions, dates and links all need them. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A link whose label is escaped already. A URL that is neither web nor mail appears as text. */
export const linkTo = (url: string, label: string): string => {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return label === "" ? escapeMrkdwn(url) : `${label} (${escapeMrkdwn(url)})`;
  const address = escapeMrkdwn(url).replaceAll("|", "%7C").replace(/\s/g, "%20");
  const shown = label.replace(/[|\n]/g, " ");
  return shown === "" || shown === address ? `<${address}>` : `<${address}|${shown}>`;
};

/** Zero-width spaces break a fence inside the code, which would end the block early. */
const fenced = (lines: string): string =>
  `${FENCE}\n${escapeMrkdwn(lines).replaceAll(FENCE, "`\u200b`\u200b`")}\n${FENCE}`;

const mrkdwn: MarkdownDialect = {
  escape: escapeMrkdwn,
  lineBreak: "\n",
  // Slack does not support a mark inside itself.
  mark: (mark, inner, open) => (open.has(mark) || inner.trim() === "" ? inner : `${MARKS[mark]}${inner}${MARKS[mark]}`),
  inlineCode: (code) => `\`${escapeMrkdwn(code).replaceAll("`", "ˋ")}\``,
  link: linkTo,
  picture: "image",
  paragraph: (inner) => inner,
  heading: (inner) => `*${inner}*`,
  quote: (inner) => inner.replace(/^/gm, "> "),
  list: (list, writer, depth) =>
    writer
      .items(list, depth)
      .map(({ number = "•", box, inner }) => [number, box, inner.replaceAll("\n", "\n    ")])
      .map(([number, box, inner]) => `${number} ${box === "" ? "" : `${box} `}${inner}`)
      .join("\n"),
  code: fenced,
  table: (table) => writeTable(table),
  rule: "———",
  definition: () => "",
  footnote: (mark, inner) => `${mark} ${inner}`,
  join: (blocks) => blocks.join("\n"),
};

/** Slack wraps wider lines, which makes a table unreadable. */
const MAX_TABLE_WIDTH = 90;
const GAP = "  ";

/** A table as aligned columns if they fit a screen, else each row as a list of "header: cell", else its source. */
const writeTable = (table: Table, source = ""): string => {
  const rows = cellsOf(table, textWithAddresses);
  const widths = columnWidths(rows);
  const isNarrow = widths.reduce((sum, width) => sum + width + GAP.length, 0) <= MAX_TABLE_WIDTH;
  const lines = isNarrow ? alignColumns(rows, widths, { gap: GAP, fill: "─", cross: GAP }) : rowLists(rows);
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const cellLength = rows.flat().reduce((sum, cell) => sum + cell.length + 3, 0);
  if (length > 2 * cellLength + 400) return fenced(source || rows.map((row) => row.join(" | ")).join("\n"));
  return isNarrow ? fenced(lines.join("\n")) : escapeMrkdwn(lines.join("\n"));
};

const rowLists = ([header = [], ...body]: Rows): string[] =>
  body.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.map((cell, column) => [header[column], cell].filter(Boolean).join(": ")),
  ]);

const textWithAddresses = (node: Nodes): string => {
  if (node.type === "image") return node.alt || node.url;
  if (!("children" in node)) return plainText(node);
  const inner = node.children.map(textWithAddresses).join("");
  return node.type === "link" && node.url !== inner && /^https?:/i.test(node.url) ? `${inner} (${node.url})` : inner;
};

/** Slack's limit for the text of a section block. */
export const MAX_SECTION = 3_000;

/** Converts markdown to as few section texts as possible, each within Slack's limit. */
export const sectionsOf = (markdown: string): string[] => join(writeMrkdwn(markdown).flatMap(fitting));

/** The source text, fully escaped. */
export const plainSections = (text: string): string[] => splitLines(escapeMrkdwn(text.trim()) || "…");

const fitting = (written: MrkdwnBlock): string[] => {
  const { text, code, source } = written;
  if (text.length <= MAX_SECTION) return [text];
  if (code) return splitCode(text);
  // Cutting mrkdwn could break its mark-up, so the markdown source is split and converted again.
  const room = Math.max(MIN_PART_LENGTH, Math.ceil(source.length / 2));
  const halves = splitMarkdown(source, room);
  return halves.length < 2 ? splitLines(text) : halves.flatMap((half) => writeMrkdwn(half).flatMap(fitting));
};

const splitCode = (text: string): string[] =>
  splitLines(text.slice(FENCE.length + 1, -FENCE.length - 1), MAX_SECTION - 2 * FENCE.length - 2).map(
    (lines) => `${FENCE}\n${lines}\n${FENCE}`,
  );

const splitLines = (text: string, room = MAX_SECTION): string[] => {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const newline = rest.lastIndexOf("\n", room);
    const cut = newline > 0 ? newline : beforeEntity(rest, lastBreakWithin(rest, room));
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(newline > 0 ? cut + 1 : cut);
  }
  return [...pieces, rest];
};

/** Moves a cut that would split an entity such as `&amp;`. */
const beforeEntity = (text: string, cut: number): number => {
  const begun = /&[a-z]{0,4}$/.exec(text.slice(0, cut));
  return begun && begun.index > 0 && /^[a-z]{0,4};/.test(text.slice(cut)) ? begun.index : cut;
};

const join = (texts: readonly string[]): string[] => {
  const joined: string[] = [];
  for (const text of texts) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + 2 + text.length <= MAX_SECTION) joined.splice(-1, 1, `${last}\n\n${text}`);
    else joined.push(text);
  }
  return joined;
};
