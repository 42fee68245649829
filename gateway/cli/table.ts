/** Labels on the left, aligned; the text may be long. */
export const table = (rows: readonly (readonly [label: string, text: string])[]): string => {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join("");
};
