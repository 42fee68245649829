export type Inline =
  | { readonly kind: "text" | "bold" | "code"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

export type Block =
  | { readonly kind: "paragraph" | "heading"; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

const FENCE = /^\s*(```|~~~)/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBER = /^\s*\d{1,9}[.)]\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;

/** A small, safe part of markdown. What is not understood stays text. */
export const parseMarkdown = (markdown: string): Block[] => {
  const lines = markdown.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (fits: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && fits(lines[at] as string)) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] as string;
    const heading = HEADING.exec(line)?.[1];
    if (line.trim() === "") at++;
    else if (FENCE.test(line)) {
      at++;
      blocks.push({ kind: "code", text: takeWhile((next) => !FENCE.test(next)).join("\n") });
      at++;
    } else if (heading !== undefined) {
      at++;
      blocks.push({ kind: "heading", lines: [parseInline(heading)] });
    } else if (BULLET.test(line) || NUMBER.test(line)) {
      const ordered = NUMBER.test(line);
      const shape = ordered ? NUMBER : BULLET;
      const items = takeWhile((next) => shape.test(next)).map((item) => parseInline(shape.exec(item)?.[1] ?? ""));
      blocks.push({ kind: "list", ordered, items });
    } else {
      blocks.push({ kind: "paragraph", lines: takeWhile(isPlain).map(parseInline) });
    }
  }
  return blocks;
};

const isPlain = (line: string): boolean =>
  line.trim() !== "" && ![FENCE, BULLET, NUMBER, HEADING].some((shape) => shape.test(line));

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]{1,500})\]\((https?:\/\/[^\s()<>"]+)\)|(https?:\/\/[^\s<>"'`*)\]]+)/g;

const parseInline = (text: string): Inline[] => {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, bold, label, href, bare] = match;
    if (match.index > from) found.push({ kind: "text", text: text.slice(from, match.index) });
    from = match.index + whole.length;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (bold !== undefined) found.push({ kind: "bold", text: bold });
    else if (label !== undefined && href !== undefined) found.push({ kind: "link", text: label, href });
    else if (bare !== undefined) found.push(...bareLink(bare));
  }
  if (from < text.length) found.push({ kind: "text", text: text.slice(from) });
  return found;
};

/** The stop at the end of a sentence is not part of the address. */
const bareLink = (bare: string): Inline[] => {
  const href = bare.replace(/[.,;:!?]+$/, "");
  const rest = bare.slice(href.length);
  return [{ kind: "link", text: href, href }, ...(rest ? [{ kind: "text" as const, text: rest }] : [])];
};
