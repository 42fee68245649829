/** Styles of terminals, each with the sequence that ends it, so that styles nest. */
const sgr = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
export const dim = sgr(2, 22);
export const bold = sgr(1, 22);
const italic = sgr(3, 23);
const underline = sgr(4, 24);
const struck = sgr(9, 29);
export const code = sgr(36, 39);
/** Code first: nothing inside of it is markup. Spans have a limit, so that many open markers cost linear time. */
const INLINE =
  /(`+)(?!`)([^\n]{0,999}?[^`])\1(?!`)|!?\[([^[\]\n]{0,999})\]\(([^()\s]*)(?:\s"[^"\n]*")?\)|\*\*([^\n]{1,999}?)\*\*|__([^\n]{1,999}?)__(?!\w)|~~([^\n]{1,999}?)~~|(?<!\w)\*([^*\s](?:[^*\n]*[^*\s])?)\*|(?<![\w])_([^_\s](?:[^_\n]*[^_\s])?)_(?!\w)|\\([!-/:-@[-`{-~])/g;

export const inline = (text: string): string =>
  text.replace(
    INLINE,
    (all, ticks, span, label, url, strong, strong2, strike, emphasis, emphasis2, escaped: string | undefined) => {
      if (ticks !== undefined) return code(String(span).trim());
      if (url !== undefined)
        return label === "" || label === url ? underline(url) : `${inline(label)} (${underline(url)})`;
      if ((strong ?? strong2) !== undefined) return bold(inline(strong ?? strong2));
      if (strike !== undefined) return struck(inline(strike));
      if ((emphasis ?? emphasis2) !== undefined) return italic(inline(emphasis ?? emphasis2));
      return escaped ?? all;
    },
  );

/**
 * The length of the beginning whose style is certain: up to the first marker that may still open a style, and up to the
 * end of a word, because the meaning of a marker depends on the character before it.
 */
export const certainLength = (text: string): number => {
  const words = text.search(/\S*$/);
  let length = 0;
  for (const match of text.matchAll(INLINE)) {
    const before = text.slice(length, match.index);
    const open = before.search(MARK);
    if (open >= 0) return Math.min(words, length + open);
    if (match.index + match[0].length > words) return Math.min(words, match.index);
    length = match.index + match[0].length;
  }
  const open = text.slice(length).search(MARK);
  return Math.min(words, open >= 0 ? length + open : text.length);
};
const MARK = /[`[\\]|\*(?=\S|$)|(?<!\w)_|~(?=~|$)|!(?=\[|$)/;

/** Text has no other control characters here. */
const STYLE = /\p{Cc}\[\d+m/gu;

/** Columns on the screen: styles take none, East Asian wide characters and emoji take two. */
export const widthOf = (text: string): number =>
  [...text.replace(STYLE, "")].reduce((width, char) => width + columnsOf(char), 0);

const columnsOf = (char: string): number => {
  if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(char)) return 0;
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
    char,
  )
    ? 2
    : 1;
};
