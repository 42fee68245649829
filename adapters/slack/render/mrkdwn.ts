import type { Definition, List, ListItem, Nodes, Parents, Root, RootContent, Table } from "mdast";
import { parseMarkdown } from "../../contract/markdown/parse-markdown.ts";

/** A block of text in Slack's own mark-up. Lines of code can be split anywhere, other text cannot. */
export interface Written {
  readonly text: string;
  readonly code: boolean;
  /** The markdown it was written from. */
  readonly source: string;
}

/** Markdown, block by block, in Slack's mark-up. Everything that the text could mean to Slack is escaped. */
export const writeMrkdwn = (markdown: string): Written[] => {
  const root = parseMarkdown(markdown);
  const writer = new Writer(root);
  return root.children.flatMap((node) => {
    const source = markdown.slice(node.position?.start.offset, node.position?.end.offset);
    const text = writer.block(node, source);
    const code = node.type === "code" || (node.type === "table" && text.startsWith(FENCE));
    return text === "" ? [] : [{ text, code, source }];
  });
};

export const FENCE = "```";

/** As code. A fence inside it would end it early, so it is broken by a sign of no width. */
const fenced = (lines: string): string =>
  `${FENCE}\n${escapeMrkdwn(lines).replaceAll(FENCE, "`\u200b`\u200b`")}\n${FENCE}`;

class Writer {
  readonly #definitions = new Map<string, Definition>();

  constructor({ children }: Root) {
    for (const node of children) if (node.type === "definition") this.#definitions.set(node.identifier, node);
  }

  block(node: RootContent, source: string): string {
    switch (node.type) {
      case "heading":
        return `*${this.#inline(node, "*")}*`;
      case "code":
        return fenced(node.value);
      case "table":
        return this.#table(node, source);
      case "list":
        return this.#list(node);
      case "blockquote":
        return quoted(this.#blocks(node));
      case "thematicBreak":
        return "———";
      case "definition":
        return "";
      case "footnoteDefinition":
        return `[${escapeMrkdwn(node.identifier)}] ${this.#blocks(node)}`;
      case "html":
        return escapeMrkdwn(node.value);
      default:
        return this.#inline(node);
    }
  }

  #blocks(parent: Parents, joint = "\n"): string {
    return parent.children.map((node) => this.block(node as RootContent, "")).join(joint);
  }

  #list({ ordered, start, children }: List): string {
    return children.map((item, index) => this.#item(item, ordered ? `${(start ?? 1) + index}.` : "•")).join("\n");
  }

  #item(item: ListItem, bullet: string): string {
    const box = item.checked === true ? "☑ " : item.checked === false ? "☐ " : "";
    return `${bullet} ${box}${this.#blocks(item).replaceAll("\n", "\n    ")}`;
  }

  #table({ children }: Table, source: string): string {
    const rows = children.map((row) => row.children.map((cell) => textOf(cell).replace(/\s+/g, " ").trim()));
    const table = tableLines(rows);
    if (table === undefined) return fenced(source || rows.map((row) => row.join(" | ")).join("\n"));
    return table.columns ? fenced(table.lines.join("\n")) : escapeMrkdwn(table.lines.join("\n"));
  }

  /** `within`: the mark that is open already; Slack knows no mark inside itself. */
  #inline(node: Nodes, within = ""): string {
    switch (node.type) {
      case "text":
      case "html":
        return escapeMrkdwn(node.value);
      case "inlineCode":
        return `\`${escapeMrkdwn(node.value).replaceAll("`", "ˋ")}\``;
      case "break":
        return "\n";
      case "strong":
        return this.#marked("*", node, within);
      case "emphasis":
        return this.#marked("_", node, within);
      case "delete":
        return this.#marked("~", node, within);
      case "link":
        return linkTo(node.url, this.#children(node, within));
      case "image":
        return linkTo(node.url, escapeMrkdwn(node.alt || "image"));
      case "linkReference":
      case "imageReference": {
        const label = node.type === "imageReference" ? escapeMrkdwn(node.alt || "image") : this.#children(node, within);
        const definition = this.#definitions.get(node.identifier);
        return definition === undefined ? label : linkTo(definition.url, label);
      }
      case "footnoteReference":
        return `[${escapeMrkdwn(node.identifier)}]`;
      default:
        return "children" in node ? this.#children(node, within) : "";
    }
  }

  #children(node: Parents, within: string): string {
    return node.children.map((child) => this.#inline(child, within)).join("");
  }

  #marked(mark: string, node: Parents, within: string): string {
    const text = this.#children(node, within + mark);
    return within.includes(mark) || text.trim() === "" ? text : `${mark}${text}${mark}`;
  }
}

const quoted = (text: string): string => text.replace(/^/gm, "> ");

const textOf = (node: Nodes): string => {
  if ("value" in node) return node.value;
  if (node.type === "image") return node.alt || node.url;
  const inner = "children" in node ? node.children.map(textOf).join("") : "";
  return node.type === "link" && node.url !== inner && /^https?:/i.test(node.url) ? `${inner} (${node.url})` : inner;
};

/** The three signs that mean something in every text of Slack's. Without them no mention, date or link can be made. */
export const escapeMrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A link with a label that is escaped already. What is no web or mail address is written out instead. */
export const linkTo = (url: string, label: string): string => {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return label === "" ? escapeMrkdwn(url) : `${label} (${escapeMrkdwn(url)})`;
  const address = escapeMrkdwn(url).replaceAll("|", "%7C").replace(/\s/g, "%20");
  const shown = label.replace(/[|\n]/g, " ");
  return shown === "" || shown === address ? `<${address}>` : `<${address}|${shown}>`;
};

/** Wider lines wrap, and a table that wraps cannot be read. */
const WIDEST = 90;

/**
 * A table as lines of text: columns if they fit a screen, else each row as a list of "header: cell".
 * Nothing if that would be many times longer than the cells are.
 */
const tableLines = (rows: readonly (readonly string[])[]): { lines: string[]; columns: boolean } | undefined => {
  const [header = [], ...body] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const width = widths.reduce((sum, each) => sum + each + GAP.length, 0);
  const columns = width <= WIDEST;
  const lines = columns
    ? [
        lineOf(header, widths),
        widths.map((each) => "─".repeat(each)).join(GAP),
        ...body.map((row) => lineOf(row, widths)),
      ]
    : body.flatMap((row, index) => [
        ...(index === 0 ? [] : [""]),
        ...row.map((cell, column) => [header[column], cell].filter(Boolean).join(": ")),
      ]);
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const source = rows.flat().reduce((sum, cell) => sum + cell.length + 3, 0);
  return length <= 2 * source + 400 ? { lines, columns } : undefined;
};

const GAP = "  ";

const lineOf = (row: readonly string[], widths: readonly number[]): string =>
  widths
    .map((width, column) => (row[column] ?? "") + " ".repeat(width - widthOf(row[column] ?? "")))
    .join(GAP)
    .trimEnd();

/** Columns on a screen: letters of East Asia take two. */
const widthOf = (text: string): number => [...text].length + (text.match(WIDE)?.length ?? 0);

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;
