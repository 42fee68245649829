/** A text without mark-up, and the tags around its parts. */
export interface ParsedHtml {
  readonly text: string;
  readonly entities: readonly FakeEntity[];
}

export interface FakeEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** https://core.telegram.org/bots/api#html-style */
const TAGS = new Map([
  ["b", "bold"],
  ["strong", "bold"],
  ["i", "italic"],
  ["em", "italic"],
  ["u", "underline"],
  ["s", "strikethrough"],
  ["code", "code"],
  ["pre", "pre"],
  ["a", "text_link"],
  ["blockquote", "blockquote"],
  ["tg-spoiler", "spoiler"],
]);
const SIGNS = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
]);

/** Reads HTML as strictly as Telegram: throws its description of the first error. */
export const parseHtml = (html: string): ParsedHtml => {
  const entities: FakeEntity[] = [];
  const open: { tag: string; offset: number; url?: string }[] = [];
  let text = "";
  for (let at = 0; at < html.length; ) {
    const sign = html[at] ?? "";
    if (sign === "&") {
      const [whole = "&", name = ""] = /^&(\w+);/.exec(html.slice(at, at + 10)) ?? [];
      text += SIGNS.get(name) ?? whole;
      at += whole.length;
      continue;
    }
    if (sign !== "<") {
      text += sign;
      at += 1;
      continue;
    }
    const [whole, slash, tag = "", rest = ""] = /^<(\/?)([a-z-]*)([^>]*)>/.exec(html.slice(at)) ?? [];
    if (whole === undefined) throw new Error(`can't parse entities: Unclosed start tag at byte offset ${at}`);
    if (!TAGS.has(tag)) throw new Error(`can't parse entities: Unsupported start tag "${tag}" at byte offset ${at}`);
    at += whole.length;
    if (slash === "") {
      const url = /^ href="([^"<>]*)"$/.exec(rest)?.[1];
      open.push({ tag, offset: text.length, ...(url !== undefined && { url: parseHtml(url).text }) });
      continue;
    }
    const begun = open.pop();
    if (begun?.tag !== tag) throw new Error(`can't parse entities: Unmatched end tag at byte offset ${at}`);
    const { offset, url } = begun;
    const type = TAGS.get(tag) ?? "";
    const length = text.length - offset;
    if (length > 0) entities.push({ type, offset, length, ...(url !== undefined && { url }) });
  }
  const [unclosed] = open;
  if (unclosed)
    throw new Error(`can't parse entities: Can't find end tag corresponding to start tag "${unclosed.tag}"`);
  return { text, entities };
};
