/** More quotes and lists inside each other than this are an attack, not a text. */
export const MAX_CONTAINERS = 10;

const CONTAINER = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/y;

/** How many quotes and list items a line opens, or continues, before its text begins. Stops counting at one too many. */
export const containersIn = (line: string): number => {
  let count = 0;
  CONTAINER.lastIndex = 0;
  while (count <= MAX_CONTAINERS && CONTAINER.test(line)) count++;
  return count;
};
