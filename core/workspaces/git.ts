import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../contract/app-error.ts";
import { type ProgramEnd, runProgram } from "./run-program.ts";

/** Settings of git for one command, which take precedence over every configuration file. */
type GitSetting = readonly [key: string, value: string];

/** Disables programs that the repository configures: a subtask may have written or selected them (`.gitattributes`). */
const FIXED_SETTINGS: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.sshCommand", "false"],
  ["core.quotePath", "false"],
  ["commit.gpgSign", "false"],
  ["merge.verifySignatures", "false"],
  ["merge.stat", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "all"],
  ["safe.bareRepository", "explicit"],
  ["user.name", "Mooring"],
  ["user.email", "mooring@localhost"],
  ["advice.detachedHead", "false"],
];

/** Disables every fetch, also of missing objects of a partial clone, because a remote can name a program. */
const FIXED_VARIABLES: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
};

/** Options of `git diff` that disable configured drivers. */
export const PLAIN_DIFF: readonly string[] = ["--no-ext-diff", "--no-textconv"];

/** The text merge of git itself, in the form that a configured merge driver has. */
const TEXT_MERGE = "git merge-file --marker-size=%L %A %O %B";

const DRIVER = /^(filter|merge)\.(.+)\.(clean|smudge|process|driver|recursive)$/s;

/** Switches off the filter and merge drivers among the configured keys. */
const driversOff = (keys: readonly string[]): GitSetting[] => {
  const drivers = new Set(keys.flatMap((key) => driverOf(key) ?? []));
  return [...drivers].flatMap((driver): GitSetting[] =>
    driver.startsWith("filter.")
      ? [
          [`${driver}.clean`, ""],
          [`${driver}.smudge`, ""],
          [`${driver}.process`, ""],
          [`${driver}.required`, "false"],
        ]
      : [
          [`${driver}.driver`, TEXT_MERGE],
          [`${driver}.recursive`, "text"],
        ],
  );
};

const driverOf = (key: string): string | undefined => {
  const [, kind, name] = DRIVER.exec(key) ?? [];
  return kind === undefined ? undefined : `${kind}.${name}`;
};

/** Settings as environment variables: they allow any character in names, and git passes them on to its own commands. */
const settingVariables = (settings: readonly GitSetting[]): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** git in one folder, running no program that the repository configures. A command that fails throws with git's output. */
export class Git {
  readonly folder: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#environment = environment;
  }

  in(folder: string): Git {
    return new Git(folder, this.#environment);
  }

  async run(...args: readonly string[]): Promise<string> {
    const { code, output, remark } = await this.attempt(...args);
    if (code === 0) return output;
    const reason = [remark, output.trim()].filter(Boolean).join(": ");
    throw new AppError("unavailable", `git ${args[0]} failed in ${this.folder}: ${reason}`);
  }

  /** Returns the end of the command, with any exit code. */
  async attempt(...args: readonly string[]): Promise<ProgramEnd> {
    // Read before every command, because a command of a subtask can write it.
    const listed = await this.#git(["config", "--list", "--name-only", "-z"], FIXED_SETTINGS);
    if (listed.code !== 0 || listed.remark !== undefined) return listed;
    return this.#git(args, [...FIXED_SETTINGS, ...driversOff(listed.output.split("\0"))]);
  }

  async succeeds(...args: readonly string[]): Promise<boolean> {
    return (await this.attempt(...args)).code === 0;
  }

  #git(args: readonly string[], settings: readonly GitSetting[]): Promise<ProgramEnd> {
    const environment = { ...this.#environment, ...FIXED_VARIABLES, ...settingVariables(settings) };
    const options = { folder: this.folder, environment, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    return runProgram(["git", ...args], options);
  }
}

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
