import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project-files.ts";

/** A file in one of the project's folders that is newer than the given file, if there is one. */
export const newerSource = (made: string, folders: readonly string[]): string | undefined => {
  const { mtimeMs } = statSync(made);
  for (const folder of folders) {
    for (const entry of readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && statSync(file).mtimeMs > mtimeMs) return file;
    }
  }
  return undefined;
};
