/** Wider lines wrap, and a table that wraps cannot be read. */
const WIDEST = 90;

/**
 * A table as lines of text: columns if they fit a screen, else each row as a list of "header: cell".
 * Nothing if that would be many times longer than the cells are.
 */
export const tableLines = (rows: readonly (readonly string[])[]): { lines: string[]; columns: boolean } | undefined => {
  const [header = [], ...body] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const width = widths.reduce((sum, each) => sum + each + GAP.length, 0);
  const columns = width <= WIDEST;
  const lines = columns
    ? [
        lineOf(header, widths),
        widths.map((each) => "─".repeat(each)).join(GAP),
        ...body.map((row) => lineOf(row, widths)),
      ]
    : body.flatMap((row, index) => [
        ...(index === 0 ? [] : [""]),
        ...row.map((cell, column) => [header[column], cell].filter(Boolean).join(": ")),
      ]);
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const source = rows.flat().reduce((sum, cell) => sum + cell.length + 3, 0);
  return length <= 2 * source + 400 ? { lines, columns } : undefined;
};

const GAP = "  ";

const lineOf = (row: readonly string[], widths: readonly number[]): string =>
  widths
    .map((width, column) => (row[column] ?? "") + " ".repeat(width - widthOf(row[column] ?? "")))
    .join(GAP)
    .trimEnd();

/** Columns on a screen: letters of East Asia take two. */
const widthOf = (text: string): number => [...text].length + (text.match(WIDE)?.length ?? 0);

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;
