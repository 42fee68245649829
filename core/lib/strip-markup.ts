const HTML_TAGS =
  /<\/?(?:a|b|i|u|s|p|em|strong|br|hr|div|span|code|pre|ul|ol|li|h[1-6]|img|table|thead|tbody|tr|td|th|blockquote|del|ins|sub|sup|font|small|script|style)(?:\s[^<>]{0,400})?\/?>/gi;

/** Mentions of people, rooms, commands, dates and emoji in the syntax of the platforms, and mass mentions. */
const MENTIONS: readonly RegExp[] = [
  /<at\b[^<>]{0,100}>[^<>]{0,200}<\/at>/gi,
  /<(?:@[!&]?|#|!|\/|a?:|t:|id:)[^<>\n]{1,200}>/g,
  /(?<![\w@.])@(?:everyone|here|channel)\b/g,
];

/** Emphasis counts only at the edges of words, so that snake_case and 2*3*4 stay unchanged. */
const EMPHASIS: readonly RegExp[] = [
  /(?<![\w*])\*\*(?=\S)(.{1,400}?)(?<=\S)\*\*(?![\w*])/gs,
  /(?<!\w)__(?=\S)(.{1,400}?)(?<=\S)__(?!\w)/gs,
  /(?<![\w*])\*(?=[^\s*])(.{1,400}?)(?<=[^\s*])\*(?![\w*])/gs,
  /(?<!\w)_(?=[^\s_])(.{1,400}?)(?<=[^\s_])_(?!\w)/gs,
  /~~(?=\S)(.{1,400}?)(?<=\S)~~/gs,
  /\|\|(?=\S)(.{1,400}?)(?<=\S)\|\|/gs,
];

/** Removes mark-up and mentions. */
export const stripMarkup = (text: string): string => {
  let plain = text
    .replace(/```(?:[\w+-]{0,20}\n)?/g, " ")
    .replace(/<(?:https?|mailto):[^<>|\s]{1,1000}\|([^<>]{1,400})>/g, "$1")
    .replace(/<((?:https?:\/\/|mailto:)[^<>\s]{1,1000})>/g, "$1");
  for (const mention of MENTIONS) plain = plain.replace(mention, " ");
  plain = plain
    .replace(HTML_TAGS, " ")
    .replace(/!?\[([^[\]]{0,400})\]\([^()\s]{0,1000}(?:\s"[^"]{0,200}")?\)/g, "$1")
    .replace(/^[ \t]{0,8}(?:[-*_][ \t]{0,4}){3,}$/gm, " ")
    .replace(/^[ \t]{0,8}(?:>[ \t]?){1,8}/gm, "")
    .replace(/^[ \t]{0,8}(?:#{1,6}|[-*+]|-#)[ \t]+/gm, "")
    .replace(/`{1,2}([^`]{1,400})`{1,2}/g, "$1");
  // Two passes, because bold can be inside italics.
  for (let layer = 0; layer < 2; layer++) for (const mark of EMPHASIS) plain = plain.replace(mark, "$1");
  return plain.replace(/\\([\\`*_{}[\]()#+.!~|>-])/g, "$1");
};

/** Removes bidi controls, zero-width characters (except the joiners that emoji and scripts need) and stacks of accents. */
export const dropInvisible = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(/[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g, "")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1");
