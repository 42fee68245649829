/** Teams replaces `{{DATE(…)}}` and `{{TIME(…)}}` in what it shows; with a joiner between the braces it is only text. */
export const withoutTemplates = (text: string): string => text.replace(/\{(?=\{)/g, "{\u2060");

/** Text as XML shows it: no mark-up of Teams' own can begin in it. */
export const escapeXml = (text: string): string =>
  withoutTemplates(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
