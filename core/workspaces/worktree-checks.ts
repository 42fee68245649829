import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../contract/app-error.ts";
import type { Git } from "./git.ts";

/**
 * Whether the folder is a complete worktree of the repository, under its own entry there. A command of a subtask can
 * replace the `.git` file, so it is compared with the repository's entry before anything is committed through it.
 */
export const isWorktreeOf = async (repository: Git, path: string): Promise<boolean> => {
  const asked = ["--path-format=absolute", "--show-toplevel", "--git-dir", "--git-path", "locked"];
  const { code, output } = await repository.in(path).attempt("rev-parse", ...asked);
  const [top, gitFolder = "", lock = ""] = output.split("\n");
  if (code !== 0 || top !== (await realpath(path))) return false;
  const common = (await repository.run("rev-parse", "--path-format=absolute", "--git-common-dir")).trim();
  if (dirname(gitFolder) !== join(await realpath(common), "worktrees")) return false;
  const entry = await readFile(join(gitFolder, "gitdir"), "utf8").catch(() => "");
  // git keeps a worktree locked for as long as it fills it.
  return entry.trim() === join(top, ".git") && !existsSync(lock);
};

/** git would run commands in a repository inside the worktree, with the configuration that is in there. */
export const refuseNestedRepositories = async (worktree: Git): Promise<void> => {
  const submodules = (await worktree.run("ls-files", "--stage", "-z"))
    .split("\0")
    .flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
  const others = (await worktree.run("ls-files", "--others", "-z")).split("\0").filter((name) => name.endsWith("/"));
  const nested = [...submodules, ...others].filter((name) => existsSync(join(worktree.folder, name, ".git")));
  if (nested.length === 0) return;
  throw new AppError(
    "forbidden",
    `The workspace has git repositories inside (${nested.slice(0, 5).join(", ")}); its changes were not committed. ` +
      'Remove their ".git" first.',
  );
};
