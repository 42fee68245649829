import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { cutToBytes } from "../lib/index.ts";
import { Git } from "./git.ts";
import { runProgram } from "./run-program.ts";
import type { Workspaces } from "./workspaces.ts";

const OUTPUT_BYTES = 30_000;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_LINES = 500;

const path = z.string().max(1_000).describe("Relative to your workspace, e.g. src/tides.ts");
const folder = path.optional().describe("Only files below this folder.");
const Read = z.object({ path, firstLine: z.int().min(1).optional(), lines: z.int().min(1).max(2_000).optional() });
const Write = z.object({ path, content: z.string().max(MAX_FILE_BYTES) });
const List = z.object({ folder });
const Search = z.object({ text: z.string().min(1).max(500).describe("Plain text, no pattern."), folder });
const Run = z.object({ command: z.array(z.string()).min(1).describe("One of the allowed commands.") });

/** Tools for files and commands in the worktree of the calling subtask only (S12). */
export const fileTools = (workspaces: Workspaces): Tool[] => {
  const { commands, commandSeconds, environment } = workspaces.options;
  const rootOf = ({ delegationContext }: ToolContext): string => {
    if (delegationContext.subtaskId === undefined) throw new AppError("forbidden", "Only a subtask has a workspace.");
    return workspaces.pathOf({ id: delegationContext.subtaskId });
  };
  /** Tracked and untracked files, without ignored ones and git's own. */
  const filesOf = async (root: string, below = ""): Promise<string[]> => {
    await inside(root, below);
    const args = ["--cached", "--others", "--exclude-standard", "-z", "--", `:(literal)${below}`];
    const { output } = await new Git(root, environment).attempt("ls-files", ...args);
    return [...new Set(output.split("\0"))].filter((name) => name !== "").sort();
  };

  const read: Tool<z.infer<typeof Read>> = {
    name: "read_file",
    description: "Reads a text file of your workspace.",
    input: Read,
    needs: "workspace",
    repeatable: true,
    run: async ({ path: file, firstLine = 1, lines = MAX_LINES }, context) => {
      const all = (await readText(rootOf(context), file)).split("\n");
      const shown = all.slice(firstLine - 1, firstLine - 1 + lines).join("\n");
      const rest = all.length - (firstLine - 1 + lines);
      return cutToBytes(rest > 0 ? `${shown}\n[${rest} more lines: continue with firstLine]` : shown, OUTPUT_BYTES);
    },
  };
  const write: Tool<z.infer<typeof Write>> = {
    name: "write_file",
    description: "Writes a whole text file of your workspace and replaces an existing one.",
    input: Write,
    needs: "workspace",
    repeatable: true,
    run: async ({ path: file, content }, context) => {
      await writeText(rootOf(context), file, content);
      return `${file} is written.`;
    },
  };
  const list: Tool<z.infer<typeof List>> = {
    name: "list_files",
    description: "Lists the files of your workspace.",
    input: List,
    needs: "workspace",
    repeatable: true,
    run: async ({ folder: below }, context) =>
      firstLines(await filesOf(rootOf(context), below)) || "There are no files.",
  };
  const search: Tool<z.infer<typeof Search>> = {
    name: "search_files",
    description: "Finds the lines with a text in the text files of your workspace.",
    input: Search,
    needs: "workspace",
    repeatable: true,
    run: async ({ text, folder: below }, context) => {
      const root = rootOf(context);
      const found: string[] = [];
      for (const file of await filesOf(root, below)) {
        // Skips unreadable files: links, binary and large files.
        const lines = (await readText(root, file).catch(() => "")).split("\n");
        found.push(...lines.flatMap((line, n) => (line.includes(text) ? [`${file}:${n + 1}:${line}`] : [])));
        if (found.length > MAX_LINES || context.signal.aborted) break;
      }
      return firstLines(found) || "Nothing was found.";
    },
  };
  const run: Tool<z.infer<typeof Run>> = {
    name: "run_command",
    description: `Runs a command in your workspace. Allowed, exactly as listed: ${JSON.stringify(commands)}`,
    input: Run,
    needs: "workspace",
    repeatable: false,
    deadlineMs: (commandSeconds + 10) * 1_000,
    run: async ({ command }, context) => {
      if (!commands.some((allowed) => JSON.stringify(allowed) === JSON.stringify(command))) {
        throw new AppError("forbidden", `This command is not allowed. Allowed: ${JSON.stringify(commands)}`);
      }
      const { code, output, remark } = await runProgram(command, {
        folder: rootOf(context),
        environment,
        timeoutMs: commandSeconds * 1_000,
        maxBytes: OUTPUT_BYTES,
        signal: context.signal,
      });
      const ended = code === undefined ? `It did not end: ${remark}.` : `Exit code ${code}.`;
      return [ended, output.trim(), ...(code !== undefined && remark !== undefined ? [`(${remark})`] : [])].join("\n");
    },
  };
  return commands.length === 0 ? [read, write, list, search] : [read, write, list, search, run];
};

const firstLines = (lines: readonly string[]): string => {
  const more = lines.length > MAX_LINES ? "\n[more results: name a folder]" : "";
  return cutToBytes(`${lines.slice(0, MAX_LINES).join("\n")}${more}`, OUTPUT_BYTES);
};

const readText = async (root: string, path: string): Promise<string> => {
  const file = await openPlain(await inside(root, path), constants.O_RDONLY, path);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES)
      throw new AppError("too-large", `"${path}" has ${size} bytes; the maximum is ${MAX_FILE_BYTES}.`);
    const bytes = await file.readFile();
    if (bytes.includes(0)) throw new AppError("bad-input", `"${path}" is not a text file.`);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
};

/** Replaces the whole file, and creates the folders above it. */
const writeText = async (root: string, path: string, text: string): Promise<void> => {
  const target = await inside(root, path);
  if (target === root) throw new AppError("bad-input", "Name a file.");
  await mkdir(dirname(target), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new AppError("bad-input", `The folder of "${path}" cannot be created (${error.code}).`);
  });
  const file = await openPlain(target, constants.O_WRONLY | constants.O_CREAT, path);
  try {
    await file.truncate();
    await file.writeFile(text);
  } finally {
    await file.close();
  }
};

/** Opens a plain file without hard links elsewhere. Does not follow a symbolic link that replaced it meanwhile. */
const openPlain = async (target: string, flags: number, path: string): Promise<FileHandle> => {
  const file = await open(target, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644).catch(
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
const inside = async (root: string, path: string): Promise<string> => {
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (path.startsWith("/") || path.includes("\0")) throw refused(path, "use a path relative to your workspace");
  if (steps.includes("..")) throw refused(path, 'write it without ".."');
  if (steps.some((step) => step.toLowerCase() === ".git")) throw refused(path, "it belongs to git");
  let current = root;
  for (const step of steps) {
    current = join(current, step);
    const found = await lstat(current).catch(() => undefined);
    if (found === undefined) break;
    if (found.isSymbolicLink()) throw refused(path, "it contains a symbolic link");
  }
  return join(root, ...steps);
};

const refused = (path: string, why: string): AppError => new AppError("forbidden", `"${path}" cannot be used: ${why}.`);
