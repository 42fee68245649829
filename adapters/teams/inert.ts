/**
 * Teams replaces `{{DATE(…)}}` and `{{TIME(…)}}` in what it shows; with a joiner between the braces it is only text.
 * Mark-up between them does not count: whoever takes it out has them side by side.
 */
export const withoutTemplates = (text: string): string => text.replace(/\{(?=(?:<[^<>]*>)*\{)/g, "{\u2060");

/** XML cannot hold control characters, and nothing can hold half of a character. */
export const wellFormed = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\p{Surrogate}/gu, "\ufffd");

/** Text as XML shows it: no mark-up of Teams' own can begin in it. */
export const escapeXml = (text: string): string =>
  withoutTemplates(wellFormed(text))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
