/** Without bidi controls, zero-width characters (but not the joiners that emoji and scripts need) and towers of accents. */
export const dropInvisible = (text: string): string =>
  text
    .replace(/\p{Cs}/gu, "\uFFFD")
    .replace(/[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g, "")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1");
