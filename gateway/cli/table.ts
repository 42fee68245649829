/** Formats rows with aligned labels on the left; further lines of a text are indented. */
export const table = (rows: readonly (readonly [label: string, text: string])[]): string => {
  const width = Math.max(...rows.map(([label]) => label.length));
  const below = `\n${" ".repeat(width + 4)}`;
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text.replaceAll("\n", below)}\n`).join("");
};
