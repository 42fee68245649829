import path from "node:path";

export interface LinkedAnchor {
  /** The linked page, from the project's root. */
  readonly page: string;
  readonly anchor: string;
  readonly line: number;
}

/** Every link of a document to a heading: `#part` in the same page, `page.md#part` in another. */
export const linkedAnchors = (document: string, markdown: string): LinkedAnchor[] =>
  proseLines(markdown).flatMap(({ text, line }) =>
    [...text.matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)].flatMap(([, target = "", anchor = ""]) => {
      if (/^[a-z]+:/.test(target) || !/^$|\.md$/.test(target)) return [];
      const page = target === "" ? document : path.posix.join(path.posix.dirname(document), target);
      return [{ page, anchor, line }];
    }),
  );

/** The anchors of a page's headings, as GitHub derives them; the second of two equal headings ends with "-1". */
export const anchorsIn = (markdown: string): ReadonlySet<string> => {
  const counts = new Map<string, number>();
  const anchors = proseLines(markdown).flatMap(({ text }) => {
    const [, title] = /^#{1,6}\s+(.*?)\s*#*$/.exec(text) ?? [];
    if (title === undefined) return [];
    const slug = slugOf(title);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return [count === 0 ? slug : `${slug}-${count}`];
  });
  return new Set(anchors);
};

const slugOf = (title: string): string =>
  title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** The lines outside of fenced blocks. */
const proseLines = (markdown: string): { text: string; line: number }[] => {
  let fenced = false;
  return markdown.split("\n").flatMap((text, index) => {
    if (/^\s*```/.test(text)) {
      fenced = !fenced;
      return [];
    }
    return fenced ? [] : [{ text, line: index + 1 }];
  });
};
