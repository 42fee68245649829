/** A text that people read, with code and quotations removed. */
export interface Prose {
  readonly kind: "comment" | "string" | "test name" | "document";
  /** The line breaks are those of the file, so that the line of each sentence can be computed. */
  readonly text: string;
  readonly line: number;
}

export type Sentence = Omit<Prose, "kind">;

const BREAK = /(?<!\b(?:e\.g|i\.e|vs|cf|etc))[.!?]["')\]*_]*\s+(?=\S)/g;

/** Splits at full stops, question marks and exclamation marks that are followed by a space. */
export const sentencesOf = ({ text, line }: Sentence): Sentence[] => {
  const ends = [...text.matchAll(BREAK)].map((match) => match.index + match[0].length);
  return [0, ...ends].flatMap((start, index) => {
    const raw = text.slice(start, ends[index] ?? text.length);
    const sentence = raw.replace(/\s+/g, " ").trim();
    if (sentence === "") return [];
    const leading = raw.length - raw.trimStart().length;
    return [{ text: sentence, line: line + text.slice(0, start + leading).split("\n").length - 1 }];
  });
};

/** Replaces quotations and code in backticks by placeholders of the same number of lines. */
export const withoutQuotations = (text: string): string =>
  text
    .replace(/`[^`]*`/g, (code) => `\`…\`${linesOf(code)}`)
    .replace(/"[^"]*"|“[^”]*”/g, (quotation) => `"…"${linesOf(quotation)}`);

const linesOf = (text: string): string => text.replace(/[^\n]/g, "");
