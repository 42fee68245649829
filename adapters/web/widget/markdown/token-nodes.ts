import type { MarkedToken, Token, Tokens } from "marked";

/**
 * Builds nodes from markdown tokens. Nothing is parsed as HTML: only the elements and attributes created here exist, so
 * the content cannot run scripts, load resources or submit forms.
 */
export const tokenNodes = (tokens: readonly Token[], depth = 0): Node[] =>
  depth > MAX_DEPTH
    ? [text(tokens.map(({ raw }) => raw).join(""))]
    : tokens.flatMap((token) => nodesFor(token as MarkedToken, (inner) => tokenNodes(inner, depth + 1)));

/** Deeper tokens are shown as plain text, because browsers lay out elements recursively. */
const MAX_DEPTH = 32;

type Inside = (tokens: readonly Token[]) => Node[];

const nodesFor = (token: MarkedToken, inside: Inside): Node[] => {
  switch (token.type) {
    case "paragraph":
      return block("p", inside(token.tokens));
    case "heading":
      // Not a heading element, which would break the heading order of the page.
      return block("p", [element("strong", inside(token.tokens))]);
    case "blockquote":
      return block("blockquote", inside(token.tokens));
    case "list":
      return list(token, inside);
    case "table":
      return table(token, inside);
    case "code":
      return wide(element("pre", [code(token)]));
    case "hr":
    case "br":
      return [element(token.type, [])];
    case "strong":
    case "em":
    case "del":
      return [element(token.type, inside(token.tokens))];
    case "codespan":
      return [element("code", [text(token.text)])];
    case "link":
      return link(token.href, inside(token.tokens));
    case "image":
      // Linked, never loaded: the address could leak secrets.
      return link(token.href, [text(decodeReferences(token.text || token.href))]);
    case "checkbox":
      return [text(token.checked ? "☑ " : "☐ ")];
    case "text":
      return token.tokens ? inside(token.tokens) : [text(decodeReferences(token.text))];
    case "escape":
    case "html":
      return [text(token.text)];
    default:
      return [];
  }
};

const text = (content: string): Text => document.createTextNode(content);

const element = <K extends keyof HTMLElementTagNameMap>(name: K, children: readonly Node[]) => {
  const made = document.createElement(name);
  made.append(...children);
  return made;
};

/** The language, if it is named, is for the highlighter. */
const code = ({ text: content, lang = "" }: Tokens.Code): HTMLElement => {
  const made = element("code", [text(content)]);
  const [name] = /^[\w+#-]{1,20}/.exec(lang) ?? [];
  if (name !== undefined) made.dataset.lang = name;
  return made;
};

/** Sets the text direction, and ends with a line break for readers of `textContent`. */
const block = (name: "p" | "blockquote" | "ul" | "ol" | "table", children: readonly Node[]): Node[] => {
  const made = element(name, children);
  made.dir = "auto";
  return [made, text("\n")];
};

/** Makes an element that scrolls sideways focusable by keyboard. */
const wide = (made: HTMLElement): Node[] => {
  made.tabIndex = 0;
  return [made, text("\n")];
};

const list = ({ ordered, start, items }: Tokens.List, inside: Inside): Node[] => {
  const nodes = block(
    ordered ? "ol" : "ul",
    items.flatMap((item) => [element("li", inside(item.tokens)), text("\n")]),
  );
  const [made] = nodes;
  if (made instanceof HTMLOListElement && start !== "") made.start = start;
  return nodes;
};

const table = ({ header, rows }: Tokens.Table, inside: Inside): Node[] => {
  const body =
    rows.length === 0
      ? []
      : [
          element(
            "tbody",
            rows.map((cells) => row(cells, inside)),
          ),
        ];
  const [made] = block("table", [element("thead", [row(header, inside)]), ...body]);
  return made instanceof HTMLElement ? wide(made) : [];
};

const row = (cells: readonly Tokens.TableCell[], inside: Inside): Node =>
  element(
    "tr",
    cells.flatMap(({ header, align, tokens }) => {
      const cell = element(header ? "th" : "td", inside(tokens));
      if (align !== null) cell.align = align;
      return [cell, text("\n")];
    }),
  );

const ALLOWED_SCHEME = /^(?:https?|mailto):/i;

/** A link with a forbidden scheme becomes plain text. */
const link = (given: string, children: readonly Node[]): Node[] => {
  const href = decodeReferences(given);
  if (!ALLOWED_SCHEME.test(href)) return [...children];
  const made = element("a", children);
  made.href = href;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  return [made];
};

/** Common named references; others stay unchanged. */
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  deg: "°",
  times: "×",
  middot: "·",
  bull: "•",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  larr: "←",
  rarr: "→",
  euro: "€",
};

const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;

/** Decodes character references without an HTML parser. */
const decodeReferences = (text: string): string =>
  text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code === 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)
      ? "\ufffd"
      : String.fromCodePoint(code);
  });
