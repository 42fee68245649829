import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../contract/app-error.ts";

export const MAX_FILE_BYTES = 256 * 1024;

export const readText = async (root: string, path: string): Promise<string> => {
  const file = await openPlain(await inside(root, path), constants.O_RDONLY, path);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES)
      throw new AppError("too-large", `"${path}" has ${size} bytes; ${MAX_FILE_BYTES} is the most.`);
    const bytes = await file.readFile();
    if (bytes.includes(0)) throw new AppError("bad-input", `"${path}" is not a text file.`);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
};

/** Replaces the whole file, and creates the folders above it. */
export const writeText = async (root: string, path: string, text: string): Promise<void> => {
  const place = await inside(root, path);
  if (place === root) throw new AppError("bad-input", "Name a file.");
  await mkdir(dirname(place), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new AppError("bad-input", `The folder of "${path}" cannot be made (${error.code}).`);
  });
  const file = await openPlain(place, constants.O_WRONLY | constants.O_CREAT, path);
  try {
    await file.truncate();
    await file.writeFile(text);
  } finally {
    await file.close();
  }
};

/** Opens a plain file without hard links elsewhere. Does not follow a symbolic link that replaced it meanwhile. */
const openPlain = async (place: string, flags: number, path: string): Promise<FileHandle> => {
  const file = await open(place, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644).catch(
    (error: NodeJS.ErrnoException) => {
      throw new AppError("not-found", `"${path}" cannot be opened (${error.code}).`);
    },
  );
  const found = await file.stat();
  if (found.isFile() && found.nlink === 1) return file;
  await file.close();
  throw new AppError("forbidden", `"${path}" is not a plain file.`);
};

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
