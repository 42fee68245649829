import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../contract/app-error.ts";

/** Resolves a path inside the worktree. Rejects "..", symbolic links and git's own files, which name the repository. */
export const inside = async (root: string, path: string): Promise<string> => {
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (path.startsWith("/") || path.includes("\0")) throw refused(path, "use a path relative to your workspace");
  if (steps.includes("..")) throw refused(path, 'write it without ".."');
  if (steps.some((step) => step.toLowerCase() === ".git")) throw refused(path, "git's own files are not yours");
  let place = root;
  for (const step of steps) {
    place = join(place, step);
    const found = await lstat(place).catch(() => undefined);
    if (found === undefined) break;
    if (found.isSymbolicLink()) throw refused(path, "a link is on the way");
  }
  return join(root, ...steps);
};

const refused = (path: string, why: string): AppError => new AppError("forbidden", `"${path}" cannot be used: ${why}.`);
