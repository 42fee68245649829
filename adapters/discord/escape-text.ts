/** Signs that mean something to Discord wherever they stand, and "<" before what it would replace: mentions, times, links. */
const ANYWHERE = /[\\*_~`|[\]]|<(?=[@#:/at]|id:|https?:)/g;

/** Signs that mean something at the start of a line only: small print, headings, quotes, lists. */
const AT_LINE_START = /^([^\S\n]*)(-#|(?:[-+]|#{1,3}|>>>|>)(?=\s|$))/gm;
const NUMBER_AT_LINE_START = /^([^\S\n]*\d+)(?=\.\s)/gm;

/** Text that Discord shows as it is, whatever stands in it (O16). */
export const escapeText = (text: string): string =>
  text.replace(ANYWHERE, "\\$&").replace(AT_LINE_START, "$1\\$2").replace(NUMBER_AT_LINE_START, "$1\\");

/** A closing bracket or white space would end the address of a link. */
export const escapeUrl = (url: string): string =>
  url.replace(/[()<>\s\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
