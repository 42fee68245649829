import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AppError, messageOf } from "../contract/app-error.ts";
import type { Artifacts, Subtask, SubtaskResult } from "../contract/messages/subtask.ts";
import type { Logger } from "../contract/ports/logger.ts";
import { english, type Texts } from "../contract/texts/texts.ts";
import { ToldError } from "../contract/texts/told-error.ts";
import type { WorkspaceConfig } from "./config.ts";
import { Git, isWorktreeOf, PLAIN_DIFF, refuseNestedRepositories } from "./git.ts";

export type WorkspaceOptions = WorkspaceConfig & { readonly folder: string };
type SubtaskRef = Pick<Subtask, "id" | "name" | "workspace"> & { readonly result?: Subtask["result"] };

const MAX_LISTED = 200;
/** Far longer than git needs for what one subtask has changed. */
const LOCK_WAIT_MS = 10_000;
const LOCK_POLL_MS = 50;

/**
 * The worktrees of one agent's subtasks. Path and branch are derived from the subtask's id, so that a process that
 * resumes it finds them. Operations that change the repository itself are serialised.
 */
export class Workspaces {
  readonly options: WorkspaceOptions;
  readonly #git: Git;
  readonly #lockWaitMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: WorkspaceOptions, { lockWaitMs = LOCK_WAIT_MS } = {}) {
    this.options = options;
    this.#lockWaitMs = lockWaitMs;
    this.#git = new Git(options.repository, options.environment);
  }

  pathOf({ id }: Pick<Subtask, "id">): string {
    return join(this.options.folder, id);
  }

  /** The commit that new subtasks start from. Throws, with advice, if the repository is missing or has uncommitted changes. */
  async base(): Promise<string> {
    const { repository } = this.options;
    if (!(await this.#git.succeeds("rev-parse", "--is-inside-work-tree"))) {
      const { output, remark } = await this.#git.attempt("rev-parse", "--is-inside-work-tree");
      throw new AppError(
        "bad-configuration",
        `${repository} is not a git repository with a working tree: ${remark ?? output.trim()}`,
      );
    }
    const dirty = (await this.#git.run("status", "--porcelain")).split("\n").filter((line) => line !== "");
    if (dirty.length > 0) {
      const names = dirty.slice(0, 5).map((line) => line.slice(3));
      const shown = `${names.join(", ")}${dirty.length > 5 ? ", …" : ""}`;
      throw new ToldError("conflict", ({ workspace }) => workspace.dirty(shown));
    }
    return (await this.#git.run("rev-parse", "--verify", "HEAD")).trim();
  }

  /** Resolves to the path of the subtask's worktree, and creates it if it is missing. */
  async open(subtask: SubtaskRef): Promise<string> {
    const path = this.pathOf(subtask);
    return this.#exclusively(async () => {
      if (await isWorktreeOf(this.#git, path)) return path;
      await mkdir(this.options.folder, { recursive: true });
      // A crash can leave a partial worktree: it is replaced, and an existing branch has what was committed.
      await this.#remove(path);
      const branch = branchOf(subtask);
      const isBegun = await this.#git.succeeds("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
      const from = isBegun ? [path, branch] : ["-b", branch, path, subtask.workspace?.base ?? "HEAD"];
      await this.#git.run("worktree", "add", "--quiet", ...from);
      return path;
    });
  }

  /** Commits the subtask's changes and returns a summary of them. Undefined: it has no worktree. */
  async close(subtask: SubtaskRef): Promise<Artifacts | undefined> {
    const path = this.pathOf(subtask);
    return this.#exclusively(async () => {
      if (!existsSync(path)) return undefined;
      if (!(await isWorktreeOf(this.#git, path))) {
        throw new AppError(
          "forbidden",
          `${path} is not a complete worktree of the repository; its changes were not committed.`,
        );
      }
      const git = this.#git.in(path);
      await this.#untilUnlocked(git);
      await refuseNestedRepositories(git);
      await git.run("add", "--all");
      if (!(await git.succeeds("diff", ...PLAIN_DIFF, "--cached", "--quiet"))) {
        await git.run("commit", "--quiet", "--no-verify", "--message", `${subtask.name} (${subtask.id})`);
      }
      return this.#artifacts(subtask);
    });
  }

  async changes(subtask: SubtaskRef): Promise<Artifacts> {
    await this.#mustExist(subtask);
    return this.#artifacts(subtask);
  }

  async diff(subtask: SubtaskRef, file?: string): Promise<string> {
    await this.#mustExist(subtask);
    const only = file === undefined ? [] : ["--", `:(literal)${file}`];
    const shown = subtask.result?.artifacts?.commit;
    return this.#git.run("diff", ...PLAIN_DIFF, this.#range(subtask, shown), ...only);
  }

  /**
   * Merges the commit that people were shown into the branch that is checked out in the repository (T4). A conflict
   * changes nothing, nor does a branch that has moved since.
   */
  async merge(subtask: SubtaskRef, { workspace }: Texts = english): Promise<string> {
    await this.#mustExist(subtask);
    return this.#exclusively(async () => {
      const branch = branchOf(subtask);
      const tip = (await this.#git.run("rev-parse", "--verify", `refs/heads/${branch}`)).trim();
      const { commit = tip } = subtask.result?.artifacts ?? {};
      if (commit !== tip) {
        throw new ToldError("conflict", ({ workspace }) => workspace.moved(branch));
      }
      if (await this.#git.succeeds("merge-base", "--is-ancestor", commit, "HEAD")) return workspace.alreadyMerged;
      await this.base();
      const message = `Merge branch '${branch}'`;
      const options = ["--no-ff", "--no-verify", "--message", message];
      const { code, output } = await this.#git.attempt("merge", ...options, commit);
      if (code !== 0) {
        const files = (await this.#git.run("diff", ...PLAIN_DIFF, "--name-only", "--diff-filter=U"))
          .trim()
          .split("\n")
          .join(", ");
        await this.#git.attempt("merge", "--abort");
        throw new ToldError("conflict", (texts) =>
          files === "" ? texts.workspace.notMerged(output.trim()) : texts.workspace.conflicts(files),
        );
      }
      const into = (await this.#git.run("rev-parse", "--abbrev-ref", "HEAD")).trim();
      return workspace.merged(into);
    });
  }

  /** Removes branch and worktree; idempotent. The folder goes last, because the sweeper finds leftovers by it. */
  async discard({ id }: Pick<Subtask, "id">): Promise<void> {
    await this.#exclusively(async () => {
      await this.#git.attempt("update-ref", "-d", `refs/heads/${branchOf({ id })}`);
      await this.#remove(this.pathOf({ id }));
    });
  }

  /** Also a locked, partial worktree that a crash has left. */
  async #remove(path: string): Promise<void> {
    await this.#git.attempt("worktree", "remove", "--force", "--force", path);
    await rm(path, { recursive: true, force: true });
    await this.#git.run("worktree", "prune");
  }

  /**
   * After a crash of this process git may still run for a moment and hold its lock; after a power failure a stale lock
   * stays. No other process uses this worktree, so a lock that outlives the wait is stale.
   */
  async #untilUnlocked(git: Git): Promise<void> {
    const lock = (await git.run("rev-parse", "--path-format=absolute", "--git-path", "index.lock")).trim();
    for (let waitedMs = 0; existsSync(lock) && waitedMs < this.#lockWaitMs; waitedMs += LOCK_POLL_MS) {
      await setTimeout(LOCK_POLL_MS);
    }
    await rm(lock, { force: true });
  }

  async #artifacts(subtask: SubtaskRef): Promise<Artifacts> {
    const rows = (await this.#git.run("diff", ...PLAIN_DIFF, "--numstat", "--no-renames", "-z", this.#range(subtask)))
      .split("\0")
      .filter((row) => row !== "")
      .map((row) => row.split("\t"));
    // A binary file counts as changed, without lines.
    const sum = (column: number) => rows.reduce((total, row) => total + (Number(row[column]) || 0), 0);
    return {
      path: this.pathOf(subtask),
      branch: branchOf(subtask),
      commit: (await this.#git.run("rev-parse", "--verify", `refs/heads/${branchOf(subtask)}`)).trim(),
      files: rows.length,
      insertions: sum(0),
      deletions: sum(1),
      changed: rows.slice(0, MAX_LISTED).map((row) => row[2] ?? ""),
    };
  }

  #range(subtask: SubtaskRef, commit = branchOf(subtask)): string {
    return `${subtask.workspace?.base ?? "HEAD"}...${commit}`;
  }

  async #mustExist(subtask: SubtaskRef): Promise<void> {
    if (await this.#git.succeeds("rev-parse", "--verify", "--quiet", `refs/heads/${branchOf(subtask)}`)) return;
    throw new ToldError("not-found", ({ workspace }) => workspace.missing(subtask.id));
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work, work);
    this.#last = run.catch(() => undefined);
    return run;
  }
}

const branchOf = ({ id }: Pick<Subtask, "id">): string => `mooring/${id}`;

/** "3 files changed, +45 −12", for people and models. */
export const describeChanges = ({ files, insertions, deletions }: Artifacts, { workspace }: Texts = english): string =>
  workspace.changed(files, insertions, deletions);

/** Adds the changes in the workspace to the result. A failure of git does not affect the result itself. */
export const withArtifacts = async (
  { logger }: { logger: Logger },
  workspaces: Workspaces,
  subtask: Pick<Subtask, "id" | "name" | "workspace">,
  result: SubtaskResult,
): Promise<SubtaskResult> => {
  try {
    const artifacts = await workspaces.close(subtask);
    return artifacts === undefined ? result : { ...result, artifacts };
  } catch (error) {
    logger.warn({ subtask: subtask.id, error: messageOf(error) }, "could not read workspace changes");
    return result;
  }
};
