import { tableText } from "../contract/markdown/text-table.ts";
import { type Mark, type MarkdownDialect, MarkdownWriter } from "../contract/markdown/write-markdown.ts";

/** Converts markdown to Discord's dialect, which has no tables, images and rules, and some signs of its own. */
export const renderMarkdown = (markdown: string): string => new MarkdownWriter(markdown, dialect).blocks();

/** Signs that Discord interprets anywhere, and "<" before a mention, a time or a link. */
const ANYWHERE = /[\\*_~`|[\]]|<(?=[@#:/at]|id:|https?:)/g;

/** Signs that Discord interprets only at the start of a line: small print, headings, quotes, lists. */
const AT_LINE_START = /^([^\S\n]*)(-#|(?:[-+]|#{1,3}|>>>|>)(?=\s|$))/gm;
const NUMBER_AT_LINE_START = /^([^\S\n]*\d+)(?=\.\s)/gm;

/** Escapes text so that Discord shows it literally (O16). */
export const escapeText = (text: string): string =>
  text.replace(ANYWHERE, "\\$&").replace(AT_LINE_START, "$1\\$2").replace(NUMBER_AT_LINE_START, "$1\\");

/** Escapes the signs that would end the address of a link, or begin code. */
export const escapeUrl = (url: string): string =>
  url.replace(/[()<>`\s\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);

const MARKS: Readonly<Record<Mark, string>> = { strong: "**", emphasis: "*", delete: "~~" };

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ");

/** Shows the address only once if the label repeats it. */
const link = (url: string, label: string, text: string): string => {
  const shown = oneLine(label);
  if (url === `mailto:${text}`) return shown;
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return shown === "" ? escapeText(url) : `${shown} (${escapeText(url)})`;
  const address = escapeUrl(url);
  return text === "" || text === url || url === `http://${text}` ? address : `[${shown}](${address})`;
};

/** Discord reads three backticks anywhere as a fence, so zero-width spaces keep the runs inside the code apart. */
const inlineCode = (code: string): string =>
  code.includes("`") ? `\`\` ${code.replace(/`(?=`)/g, "`\u200b")} \`\`` : `\`${code}\``;

/** Discord supports fences of three backticks only, so zero-width spaces break such runs inside the code. */
const codeBlock = (code: string, language: string): string => {
  const known = /^[\w+.#-]{1,32}$/.test(language) ? language : "";
  return `\`\`\`${known}\n${code.replaceAll("``", "`\u200b`")}\n\`\`\``;
};

/** Wider rows wrap, so aligning their columns is useless. */
const MAX_TABLE_WIDTH = 80;

const dialect: MarkdownDialect = {
  escape: escapeText,
  lineBreak: "\n",
  // Discord would show two marks without text between them.
  mark: (mark, inner) => (inner.trim() === "" ? inner : `${MARKS[mark]}${inner}${MARKS[mark]}`),
  inlineCode,
  link,
  picture: "image",
  paragraph: (inner) => inner,
  heading: (inner, depth) => (depth <= 3 ? `${"#".repeat(depth)} ${oneLine(inner)}` : `**${oneLine(inner)}**`),
  // Discord does not nest quotes, so an inner quote joins the outer one.
  quote: (inner) => inner.replace(/^(?!> )/gm, "> "),
  list: (list, writer, depth) =>
    writer
      .items(list, depth)
      .map(({ number = "-", box, inner }) => {
        const text = box === "" ? inner : `${box} ${inner}`;
        return `${number} ${text.replaceAll("\n", `\n${" ".repeat(number.length + 1)}`)}`;
      })
      .join("\n"),
  code: codeBlock,
  table: (table) => codeBlock(tableText(table, MAX_TABLE_WIDTH), ""),
  rule: "──────",
  definition: () => "",
  footnote: (mark, inner) => `${mark} ${inner}`,
  join: (blocks, container) => blocks.filter((text) => text !== "").join(container === "listItem" ? "\n" : "\n\n"),
};
