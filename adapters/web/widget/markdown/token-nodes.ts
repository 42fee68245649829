import type { MarkedToken, Token, Tokens } from "marked";

/**
 * Markdown that was taken apart, as nodes. Nothing of it is ever read as HTML: there are only the elements and the
 * attributes that are made here, so nothing in it can act, load or submit.
 */
export const tokenNodes = (tokens: readonly Token[], depth = 0): Node[] =>
  depth > MAX_DEPTH
    ? [text(tokens.map(({ raw }) => raw).join(""))]
    : tokens.flatMap((token) => nodesFor(token as MarkedToken, (inner) => tokenNodes(inner, depth + 1)));

/** Deeper is shown as it was written: browsers lay elements out by recursion. */
const MAX_DEPTH = 32;

type Inside = (tokens: readonly Token[]) => Node[];

const nodesFor = (token: MarkedToken, inside: Inside): Node[] => {
  switch (token.type) {
    case "paragraph":
      return block("p", inside(token.tokens));
    case "heading":
      // Headings are the page's business: those of a message would break the order of its own.
      return block("p", [element("strong", inside(token.tokens))]);
    case "blockquote":
      return block("blockquote", inside(token.tokens));
    case "list":
      return list(token, inside);
    case "table":
      return table(token, inside);
    case "code":
      return wide(element("pre", [element("code", [text(token.text)])]));
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
      // Named and linked, never loaded: its address could carry secrets.
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

const text = (words: string): Text => document.createTextNode(words);

const element = <K extends keyof HTMLElementTagNameMap>(name: K, children: readonly Node[]) => {
  const made = document.createElement(name);
  made.append(...children);
  return made;
};

/** In the direction of its own words. A line of text ends with it, for who reads the words alone. */
const block = (name: "p" | "blockquote" | "ul" | "ol" | "table", children: readonly Node[]): Node[] => {
  const made = element(name, children);
  made.dir = "auto";
  return [made, text("\n")];
};

/** What scrolls sideways can be reached by keyboard. */
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

const ALLOWED = /^(?:https?|mailto):/i;

/** What leads somewhere it must not is no link at all. */
const link = (given: string, children: readonly Node[]): Node[] => {
  const href = decodeReferences(given);
  if (!ALLOWED.test(href)) return [...children];
  const made = element("a", children);
  made.href = href;
  made.target = "_blank";
  made.rel = "noopener noreferrer nofollow";
  return [made];
};

/** Those that texts are written with. Any other stays as it was written. */
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

/** Character references as the signs they stand for, without the help of an HTML parser. */
const decodeReferences = (text: string): string =>
  text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code === 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)
      ? "\ufffd"
      : String.fromCodePoint(code);
  });
