import type { Definition, List, Nodes, Parents, Root, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { AppError } from "../../../core/contract/app-error.ts";
import { tooCostlyToParse } from "./parsing-cost.ts";
import { plainParagraph } from "./plain-paragraph.ts";

export type Mark = "strong" | "emphasis" | "delete";

/** The notation of a platform for each element of markdown. `inner` is the rendered content of the element. */
export interface MarkdownDialect {
  /** Escapes every sign that has a meaning on the platform. */
  escape(text: string): string;
  readonly lineBreak: string;
  /** `open`: the marks around this one. */
  mark(mark: Mark, inner: string, open: ReadonlySet<Mark>): string;
  inlineCode(code: string): string;
  /** `text` is the label without mark-up; `url` is unchecked. */
  link(url: string, label: string, text: string): string;
  /** Label of a picture without a description. */
  readonly picture: string;
  paragraph(inner: string): string;
  heading(inner: string, depth: number): string;
  /** `depth`: number of containers around it. */
  quote(inner: string, depth: number): string;
  list(list: List, writer: MarkdownWriter, depth: number): string;
  code(code: string, language: string): string;
  table(table: Table): string;
  readonly rule: string;
  definition(definition: Definition): string;
  footnote(mark: string, inner: string): string;
  join(blocks: readonly string[], container: Parents["type"]): string;
}

/**
 * Writes markdown in the dialect of a platform. All text goes through the parsed tree, so that text never becomes
 * mark-up of the platform (O16). Throws for a text that is too costly to parse or nested too deeply.
 */
export class MarkdownWriter {
  readonly root: Root;
  readonly #dialect: MarkdownDialect;
  readonly #targets = new Map<string, string>();

  constructor(markdown: string, dialect: MarkdownDialect) {
    this.root = plainParagraph(markdown) ?? parseMarkdown(markdown);
    this.#dialect = dialect;
    for (const node of this.root.children) if (node.type === "definition") this.#targets.set(node.identifier, node.url);
  }

  blocks(container: Parents = this.root, depth = 0): string {
    const written = container.children.map((node) => this.block(node, depth));
    return this.#dialect.join(written, container.type);
  }

  block(node: Nodes, depth = 0): string {
    const dialect = this.#dialect;
    switch (node.type) {
      case "paragraph":
        return dialect.paragraph(this.inline(node.children));
      case "heading":
        return dialect.heading(this.inline(node.children, HEADING), node.depth);
      case "blockquote":
        return dialect.quote(this.blocks(node, depth + 1), depth);
      case "list":
        return dialect.list(node, this, depth);
      case "code":
        return dialect.code(node.value, node.lang ?? "");
      case "table":
        return dialect.table(node);
      case "thematicBreak":
        return dialect.rule;
      case "html":
        return dialect.paragraph(dialect.escape(node.value));
      case "definition":
        return dialect.definition(node);
      case "footnoteDefinition":
        return dialect.footnote(dialect.escape(`[${node.identifier}]`), this.blocks(node, depth));
      default:
        return this.inline([node]);
    }
  }

  /** The items of a list: the number of an ordered one, the box of a task, and the content. */
  items({ ordered, start, children }: List, depth: number): { number?: string; box: string; inner: string }[] {
    return children.map((item, index) => ({
      ...(ordered && { number: `${(start ?? 1) + index}.` }),
      box: boxOf(item),
      inner: this.blocks(item, depth + 1),
    }));
  }

  inline(nodes: readonly Nodes[], open: ReadonlySet<Mark> = NO_MARKS): string {
    return nodes.map((node) => this.#phrase(node, open)).join("");
  }

  #phrase(node: Nodes, open: ReadonlySet<Mark>): string {
    const dialect = this.#dialect;
    switch (node.type) {
      case "text":
        return dialect.escape(node.value).replaceAll("\n", dialect.lineBreak);
      case "html":
        return dialect.escape(node.value);
      case "break":
        return dialect.lineBreak;
      case "strong":
      case "emphasis":
      case "delete":
        return dialect.mark(node.type, this.inline(node.children, new Set([...open, node.type])), open);
      case "inlineCode":
        return dialect.inlineCode(node.value);
      case "link":
        return dialect.link(node.url, this.inline(node.children, open), plainText(node));
      case "linkReference":
        return this.#reference(node.identifier, this.inline(node.children, open), plainText(node));
      case "image":
        return dialect.link(node.url, dialect.escape(node.alt || dialect.picture), node.alt ?? "");
      case "imageReference":
        return this.#reference(node.identifier, dialect.escape(node.alt || dialect.picture), node.alt ?? "");
      case "footnoteReference":
        return dialect.escape(`[${node.identifier}]`);
      default:
        return "children" in node ? this.inline(node.children, open) : "";
    }
  }

  #reference(identifier: string, label: string, text: string): string {
    const url = this.#targets.get(identifier);
    return url === undefined ? label : this.#dialect.link(url, label, text);
  }
}

const NO_MARKS: ReadonlySet<Mark> = new Set();
/** Platforms show headings in bold. */
const HEADING: ReadonlySet<Mark> = new Set(["strong"]);

/** The sign of a task, or nothing. */
export const boxOf = ({ checked }: List["children"][number]): string =>
  typeof checked === "boolean" ? (checked ? "☑" : "☐") : "";

/** The text of a node without mark-up. */
export const plainText = (node: Nodes): string => {
  if ("children" in node) return node.children.map(plainText).join("");
  if ("value" in node) return node.value;
  if (node.type === "footnoteReference") return `[${node.identifier}]`;
  return "alt" in node ? (node.alt ?? "") : "";
};

const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Writers recurse once per level; this is far below the stack limit. */
const MAX_DEPTH = 48;

/**
 * Parses GFM in time that grows with the length of the text. Throws if a text is too costly to parse or nested too
 * deeply to render; the gateway then sends it as plain text (`RenderFailed`).
 */
export const parseMarkdown = (markdown: string): Root => {
  const why = tooCostlyToParse(markdown);
  if (why !== undefined) throw new AppError("bad-input", `the text cannot be rendered: ${why}`);
  const root = fromMarkdown(markdown, GFM);
  if (depthOf(root) > MAX_DEPTH) throw new AppError("bad-input", "the text cannot be rendered: nested too deeply");
  return root;
};

/** Breadth-first, because a recursion could overflow the stack. */
const depthOf = (root: Root): number => {
  let depth = 0;
  let level: readonly Nodes[] = [root];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    depth++;
    level = level.flatMap((node): readonly Nodes[] => ("children" in node ? node.children : []));
  }
  return depth;
};
