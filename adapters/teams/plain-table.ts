/** Cells as text in columns of equal width, for platforms without tables. The first row is the head. */
export const plainTable = (rows: readonly (readonly string[])[]): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(1, ...rows.map((row) => widthOf(row[at] ?? ""))));
  const lines = rows.map((row) => widths.map((width, at) => padded(row[at] ?? "", width)).join(" | "));
  const rule = widths.map((width) => "-".repeat(width)).join("-+-");
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].map((line) => line.trimEnd()).join("\n");
};

/** A wider column than this is not filled up: one long cell would push all others out of sight. */
const WIDEST = 40;

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

const widthOf = (text: string): number => Math.min(WIDEST, [...text].length);
