import { tableText } from "../contract/markdown/text-table.ts";
import { type Mark, type MarkdownDialect, MarkdownWriter } from "../contract/markdown/write-markdown.ts";

/** Converts markdown to the HTML that Telegram reads. https://core.telegram.org/bots/api#html-style */
export const renderHtml = (markdown: string): string => new MarkdownWriter(markdown, dialect).blocks();

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeSigns = (text: string): string => text.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign);

/** Telegram notifies the people whose names stand in a text; a word joiner behind the sign prevents it. */
const withoutMentions = (text: string): string => text.replace(/(?<![\w@])@(?=\w)/g, "@\u2060");

/** Escapes text so that Telegram shows it literally (O16). */
export const escapeText = (text: string): string => escapeSigns(withoutMentions(text));

/** For a message without a parse mode, in which only names have a meaning. */
export const plainText = withoutMentions;

/** The length that Telegram counts: after it has read the mark-up. */
export const visibleLength = (html: string): number =>
  html.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot);/g, "&").length;

const TAGS: Readonly<Record<Mark, string>> = { strong: "b", emphasis: "i", delete: "s" };

/** A link of another kind, such as `tg://user`, could notify a person. */
const isWebAddress = (url: string): boolean => /^(https?:\/\/|mailto:)/i.test(url);

export const linkTo = (url: string, label: string): string => `<a href="${escapeSigns(url)}">${label}</a>`;

const link = (url: string, label: string, text: string): string => {
  if (url === `mailto:${text}`) return label;
  if (!isWebAddress(url)) return label === "" ? escapeText(url) : `${label} (${escapeText(url)})`;
  return linkTo(url, label.trim() === "" ? escapeText(url) : label);
};

const codeBlock = (code: string, language: string): string => {
  const shown = escapeSigns(code);
  if (!/^[\w+.#-]{1,32}$/.test(language)) return `<pre>${shown}</pre>`;
  return `<pre><code class="language-${language}">${shown}</code></pre>`;
};

/** Wider rows wrap on a phone, so aligning their columns is useless. */
const MAX_TABLE_WIDTH = 60;

const dialect: MarkdownDialect = {
  escape: escapeText,
  lineBreak: "\n",
  mark: (mark, inner, open) =>
    inner.trim() === "" || open.has(mark) ? inner : `<${TAGS[mark]}>${inner}</${TAGS[mark]}>`,
  inlineCode: (code) => `<code>${escapeSigns(code)}</code>`,
  link,
  picture: "image",
  paragraph: (inner) => inner,
  heading: (inner) => (inner.trim() === "" ? "" : `<b>${inner}</b>`),
  // Only an anchor is a block quote of Telegram, so that a quote in a text cannot imitate one (O16).
  quote: (inner) => inner.replace(/^/gm, "│ "),
  list: (list, writer, depth) =>
    writer
      .items(list, depth)
      .map(({ number = "•", box, inner }) => {
        const text = box === "" ? inner : `${box} ${inner}`;
        return `${box === "" || number !== "•" ? `${number} ` : ""}${text.replaceAll("\n", "\n  ")}`;
      })
      .join("\n"),
  code: codeBlock,
  table: (table) => codeBlock(tableText(table, MAX_TABLE_WIDTH), ""),
  rule: "———",
  definition: () => "",
  footnote: (mark, inner) => `${mark} ${inner}`,
  join: (blocks, container) => blocks.filter((text) => text !== "").join(container === "listItem" ? "\n" : "\n\n"),
};
