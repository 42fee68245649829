import type { Nodes, Table } from "mdast";
import { plainText } from "./write-markdown.ts";

export type Rows = readonly (readonly string[])[];

/** The cells of a table as one-line texts; the first row is the header. */
export const cellsOf = (table: Table, textOf: (cell: Nodes) => string = plainText): string[][] =>
  table.children.map((row) => row.children.map((cell) => textOf(cell).replace(/\s+/g, " ").trim()));

/** The width of each column, at most `maxWidth`: a single long cell must not push the others out of sight. */
export const columnWidths = (rows: Rows, maxWidth = Number.POSITIVE_INFINITY): number[] => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, column) =>
    Math.min(maxWidth, Math.max(1, ...rows.map((row) => widthOf(row[column] ?? "")))),
  );
};

/** Lines of text with aligned columns and a rule below the header, for platforms without tables. */
export const alignColumns = (
  rows: Rows,
  widths: readonly number[],
  { gap, fill, cross }: { readonly gap: string; readonly fill: string; readonly cross: string },
): string[] => {
  const [header = "", ...body] = rows.map((row) =>
    widths
      .map((width, column) => padded(row[column] ?? "", width))
      .join(gap)
      .trimEnd(),
  );
  return [header, widths.map((width) => fill.repeat(width)).join(cross), ...body];
};

/** A table as lines of text. Rows that are wider than `maxWidth` wrap, so their columns are not aligned. */
export const tableText = (table: Table, maxWidth: number): string => {
  const rows = cellsOf(table);
  const widths = columnWidths(rows);
  const isWide = widths.reduce((sum, width) => sum + width, 0) > maxWidth;
  const gap = " │ ";
  const lines = isWide
    ? rows.map((row) => row.join(gap))
    : alignColumns(rows, widths, { gap, fill: "─", cross: "─┼─" });
  return lines.join("\n");
};

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Columns on a screen: East Asian letters and emoji take two. */
const widthOf = (text: string): number => [...text].length + (text.match(WIDE)?.length ?? 0);

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;
