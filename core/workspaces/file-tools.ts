import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import { cutToBytes } from "../lib/index.ts";
import { Git } from "./git.ts";
import { runProgram } from "./run-program.ts";
import { inside, MAX_FILE_BYTES, readText, writeText } from "./workspace-files.ts";
import type { Workspaces } from "./workspaces.ts";

const OUTPUT_BYTES = 30_000;
const MAX_LINES = 500;

const path = z.string().max(1_000).describe("Relative to your workspace, e.g. src/tides.ts");
const folder = path.optional().describe("Only what is below it.");
const Read = z.object({ path, firstLine: z.int().min(1).optional(), lines: z.int().min(1).max(2_000).optional() });
const Write = z.object({ path, content: z.string().max(MAX_FILE_BYTES) });
const List = z.object({ folder });
const Search = z.object({ text: z.string().min(1).max(500).describe("Plain text, no pattern."), folder });
const Run = z.object({ command: z.array(z.string()).min(1).describe("One of the lists that are allowed.") });

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
    repeatable: true,
    run: async ({ path: file, firstLine = 1, lines = MAX_LINES }, context) => {
      const all = (await readText(rootOf(context), file)).split("\n");
      const shown = all.slice(firstLine - 1, firstLine - 1 + lines).join("\n");
      const rest = all.length - (firstLine - 1 + lines);
      return cutToBytes(rest > 0 ? `${shown}\n[${rest} more lines: ask with firstLine]` : shown, OUTPUT_BYTES);
    },
  };
  const write: Tool<z.infer<typeof Write>> = {
    name: "write_file",
    description: "Writes a text file of your workspace, whole: what was there is replaced.",
    input: Write,
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
    repeatable: true,
    run: async ({ folder: below }, context) =>
      firstLines(await filesOf(rootOf(context), below)) || "There are no files.",
  };
  const search: Tool<z.infer<typeof Search>> = {
    name: "search_files",
    description: "Finds the lines of your workspace's text files that hold a text.",
    input: Search,
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
    description: `Runs a command in your workspace. Allowed, word for word: ${JSON.stringify(commands)}`,
    input: Run,
    repeatable: false,
    deadlineMs: (commandSeconds + 10) * 1_000,
    run: async ({ command }, context) => {
      if (!commands.some((allowed) => JSON.stringify(allowed) === JSON.stringify(command))) {
        throw new AppError("forbidden", `That is not allowed. What is: ${JSON.stringify(commands)}`);
      }
      const { code, output, remark } = await runProgram(command, {
        folder: rootOf(context),
        environment,
        timeoutMs: commandSeconds * 1_000,
        maxBytes: OUTPUT_BYTES,
        signal: context.signal,
      });
      const ended = code === undefined ? `It did not end: ${remark}.` : `It ended with ${code}.`;
      return [ended, output.trim(), ...(code !== undefined && remark !== undefined ? [`(${remark})`] : [])].join("\n");
    },
  };
  return commands.length === 0 ? [read, write, list, search] : [read, write, list, search, run];
};

const firstLines = (lines: readonly string[]): string => {
  const more = lines.length > MAX_LINES ? "\n[there are more: name a folder]" : "";
  return cutToBytes(`${lines.slice(0, MAX_LINES).join("\n")}${more}`, OUTPUT_BYTES);
};
