const filled = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, Math.max(0, length));

const grown = (length: number, next: (index: number) => string): string => {
  let text = "";
  for (let index = 0; text.length < length; index++) text += next(index);
  return text;
};

const nested = (length: number, around: (inner: string) => string): string => {
  let text = "x";
  while (text.length < length) text = around(text);
  return text;
};

const repeated = (pieces: Readonly<Record<string, string>>): Record<string, (length: number) => string> =>
  Object.fromEntries(Object.entries(pieces).map(([name, piece]) => [name, (length) => filled(piece, length)]));

/** Texts that make parsers slow, recurse deeply or fail, each of about the requested length. */
export const hostileMarkdown: Readonly<Record<string, (length: number) => string>> = {
  ...repeated({
    quotes: ">",
    "quotes with blanks": "> ",
    "quoted lines": "> a\n>> b\n>>> c\n",
    lists: "- ",
    "star lists": "* ",
    "numbered lists": "1. ",
    "quotes and lists": "> - 1. ",
    "lines ten deep": `${"- ".repeat(10)}x\n`,
    "open emphasis": "*a_ ",
    "mixed emphasis": "_a*b__ ",
    "closed emphasis": "a**b",
    brackets: "[",
    references: "[a]",
    "open links": "[a](",
    links: "[a](https://example.com/b) ",
    "open link titles": '[a](b "',
    "open angle links": "[a](<b",
    images: "![",
    "one definition": "[a]: /u\n",
    backticks: "`",
    "odd backticks": "`a``b",
    fences: "```\n~~~\n",
    "quoted fences": "> ```\n",
    pipes: "|",
    "rows without a table": "a|b\n",
    "table rules": "|-|\n",
    tags: "<b>",
    "open tags": "<",
    "open attributes": '<a b="',
    comments: "<!--",
    instructions: "a <?",
    declarations: "a <!X ",
    ampersands: "&",
    references_: "&#x21b3;",
    addresses: "www.",
    schemes: "http://",
    mails: "a@",
    blanks: " ",
    "line breaks": "\n",
    "carriage returns": "a\r",
    "one word": "a",
    words: "word ",
    backslashes: "\\",
    hashes: "#",
    "set headings": "a\n=\n",
    emoji: "👩‍👩‍👧‍👦",
    joiners: "\u200d",
    bidi: "\u202ea\u202d",
    accents: "\u0301\u0323",
    "accents on blanks": " \u0301",
    nulls: "\0",
    "half characters": "\ud800",
    ligatures: "\ufdfa",
    "to-do lists": "- [ ] a\n",
    braces: "{{",
    "braces and tags": "{<a>",
    anchors: "↳ started a from b · c\n",
    mentions: "<@U1> <!channel> @everyone ",
  }),
  "list stairs": (length) => grown(length, (index) => `${" ".repeat(2 * index)}- a\n`),
  "quote stairs": (length) => grown(length, (index) => `${">".repeat(index + 1)} a\n`),
  "nested emphasis": (length) => `${"*".repeat(length / 2)}a${"*".repeat(length / 2)}`,
  "nested mixed emphasis": (length) => `${filled("*_", length / 2)}a${filled("_*", length / 2)}`,
  "nested brackets": (length) => `${"[".repeat(length / 2)}${"]".repeat(length / 2)}`,
  "nested links": (length) => nested(length, (inner) => `[${inner}](u)`),
  "nested images": (length) => nested(length, (inner) => `![${inner}](u)`),
  definitions: (length) => grown(length, (index) => `[a${index}]: /u\n\n[a${index}] `),
  footnotes: (length) => grown(length, (index) => `[^${index}]: x[^${index}]\n\n`),
  "nested footnotes": (length) => `${filled("[^a]: ", length)}x`,
  "backtick runs": (length) => grown(length, (index) => `${"`".repeat(index + 1)} `),
  "an open fence": (length) => `\`\`\`\n${filled("x\n", length)}`,
  "a long table": (length) => `| a | b |\n|---|---|\n${filled("| c | d |\n", length)}`,
  "a wide table": (length) =>
    `${filled("|a", length / 3)}|\n${filled("|-", length / 3)}|\n${filled("|b", length / 3)}|`,
  "a wide table with short rows": (length) =>
    `${filled("|a", length / 4)}|\n${filled("|-", length / 4)}|\n${filled("|b\n", length / 2)}`,
  "lazy lines": (length) => `> - > a\n${filled("a\n", length)}`,
  "a bracketed address": (length) => `http://a.b/${filled("(", length)}`,
  "an address with references": (length) => `http://a.b/${filled("&a;", length)}`,
  "a long mail": (length) => `${filled("a", length)}@`,
  "a gap": (length) => `a${filled(" ", length)}b`,
  "a hidden fence": (length) => `<!--\n\`\`\`\n-->\n${filled("*a_ ", length)}`,
};
