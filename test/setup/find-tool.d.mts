/** The full path of a program, or undefined. Searches PATH, then the folders in which Debian installs servers and browsers. */
export function findTool(
  name: string,
  options?: { searchPath?: string; usualFolders?: readonly string[] },
): string | undefined;
