/** The full path of a program, or undefined. Looks on PATH, then where Debian puts servers and browsers. */
export function findTool(
  name: string,
  options?: { searchPath?: string; usualPlaces?: readonly string[] },
): string | undefined;
