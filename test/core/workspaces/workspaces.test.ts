import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScratchRepository } from "./scratch-repository.ts";

let repository: ScratchRepository;
beforeEach(() => {
  repository = new ScratchRepository();
});
afterEach(() => repository.remove());

const subtask = (n: number, base: string) => ({ id: `subtask-0000000${n}`, name: `knots ${n}`, workspace: { base } });

describe("given a repository", () => {
  it("when two subtasks change the same file, then each has its own copy and its own changes (S12)", async () => {
    const workspaces = repository.workspaces();
    const base = await workspaces.base();
    const [one, two] = [subtask(1, base), subtask(2, base)];
    const [first, second] = await Promise.all([workspaces.open(one), workspaces.open(two)]);
    writeFileSync(join(first, "README.md"), "one\nTWO\nthree\n");
    writeFileSync(join(first, "new.md"), "a\nb\n");
    writeFileSync(join(second, "README.md"), "1\ntwo\nthree\n");
    expect(await workspaces.close(one)).toEqual({
      path: first,
      branch: "mooring/subtask-00000001",
      commit: repository.git("rev-parse", "mooring/subtask-00000001").trim(),
      files: 2,
      insertions: 3,
      deletions: 1,
      changed: ["README.md", "new.md"],
    });
    expect(await workspaces.close(two)).toMatchObject({ files: 1, insertions: 1, deletions: 1 });
    expect(await workspaces.diff(one, "README.md")).toMatch(/-two\n\+TWO/);
    expect(await workspaces.diff(one, "README.md")).not.toContain("new.md");
    expect(readFileSync(join(repository.path, "README.md"), "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("when a subtask resumes, then it finds its earlier changes, committed or not", async () => {
    const base = await repository.workspaces().base();
    const one = subtask(1, base);
    const path = await repository.workspaces().open(one);
    writeFileSync(join(path, "a.md"), "a\n");
    expect(await repository.workspaces().open(one)).toBe(path);
    expect(readFileSync(join(path, "a.md"), "utf8")).toBe("a\n");
    await repository.workspaces().close(one);
    await repository.workspaces().close(one);
    expect(await repository.workspaces().changes(one)).toMatchObject({ files: 1 });
  });

  it("when a process crashed while it created a worktree, then the worktree is created again", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    mkdirSync(join(workspaces.pathOf(one), "half"), { recursive: true });
    const path = await workspaces.open(one);
    expect(existsSync(join(path, "half"))).toBe(false);
    expect(existsSync(join(path, "README.md"))).toBe(true);
  });

  it("when git crashed while it filled a worktree, then the worktree is created again, with or without its folder", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    const path = await workspaces.open(one);
    const lock = join(repository.path, ".git/worktrees", one.id, "locked");
    writeFileSync(lock, "initializing");
    rmSync(join(path, "README.md"));
    await workspaces.open(one);
    expect(existsSync(join(path, "README.md"))).toBe(true);
    writeFileSync(lock, "initializing");
    rmSync(path, { recursive: true });
    await workspaces.open(one);
    expect(existsSync(join(path, "README.md"))).toBe(true);
  });

  it("when git crashed with its index locked, then the stale lock is removed after a wait", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    writeFileSync(join(repository.path, ".git/worktrees", one.id, "index.lock"), "");
    expect(await workspaces.close(one)).toMatchObject({ files: 1, changed: ["new.md"] });
  });

  it("when a process crashed while it discarded a worktree, then the folder still exists, and discarding again removes the rest", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    await workspaces.open(one);
    repository.git("update-ref", "-d", `refs/heads/mooring/${one.id}`);
    expect(existsSync(workspaces.pathOf(one))).toBe(true);
    await workspaces.discard(one);
    expect(existsSync(workspaces.pathOf(one))).toBe(false);
    expect(repository.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("when it has uncommitted changes, then it is refused at once, with advice (S12)", async () => {
    repository.write("draft.md", "not yet");
    await expect(repository.workspaces().base()).rejects.toThrow(
      /not committed \(draft\.md\).*committed, stashed or discarded/,
    );
  });

  it.each([
    ["does not exist", "/nonexistent"],
    ["is not a repository", "/tmp"],
  ])("when its path %s, then the error says so", async (_, path) => {
    await expect(repository.workspaces({ repository: path }).base()).rejects.toThrow(`${path} is not a git repository`);
  });

  it("when changes are merged, then the repository contains them, and merging again changes nothing", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    await workspaces.close(one);
    expect(await workspaces.merge(one)).toBe("Merged into main.");
    expect(readFileSync(join(repository.path, "new.md"), "utf8")).toBe("a\n");
    expect(await workspaces.merge(one)).toBe("It is already merged.");
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("when the branch has moved since its changes were shown, then nothing is merged and the diff is the one that was shown (T4)", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    const path = await workspaces.open(one);
    writeFileSync(join(path, "new.md"), "a\n");
    const artifacts = await workspaces.close(one);
    if (artifacts === undefined) throw new Error("the subtask has no worktree");
    const ended = { ...one, result: { status: "success" as const, output: "", artifacts } };
    const before = repository.git("rev-parse", "HEAD");
    writeFileSync(join(path, "hidden.md"), "b\n");
    await workspaces.close(one);
    await expect(workspaces.merge(ended)).rejects.toThrow("has changed since I showed its changes");
    expect(repository.git("rev-parse", "HEAD")).toBe(before);
    expect(await workspaces.diff(ended)).not.toContain("hidden.md");
  });

  it("when changes conflict, then the error names the files and the repository is unchanged", async () => {
    const workspaces = repository.workspaces();
    const base = await workspaces.base();
    const both = [subtask(1, base), subtask(2, base)] as const;
    for (const one of both) {
      writeFileSync(join(await workspaces.open(one), "README.md"), `${one.id}\n`);
      await workspaces.close(one);
    }
    await workspaces.merge(both[0]);
    const before = repository.git("rev-parse", "HEAD");
    await expect(workspaces.merge(both[1])).rejects.toThrow("conflicts in README.md. Nothing was changed.");
    expect(repository.git("rev-parse", "HEAD")).toBe(before);
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("when a workspace is discarded, then worktree and branch are removed; discarding is idempotent", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    await workspaces.close(one);
    await workspaces.discard(one);
    await workspaces.discard(one);
    expect(existsSync(workspaces.pathOf(one))).toBe(false);
    expect(repository.git("branch", "--list", "mooring/*")).toBe("");
    await expect(workspaces.diff(one)).rejects.toThrow("has no workspace");
    await expect(workspaces.merge(one)).rejects.toThrow("has no workspace");
  });

  it("when the repository has hooks, then no hook runs", async () => {
    const hook = `#!/bin/sh\ntouch ${repository.folder}/ran\n`;
    for (const name of ["post-checkout", "pre-commit", "post-commit", "post-merge"]) {
      writeFileSync(join(repository.path, ".git/hooks", name), hook, { mode: 0o755 });
    }
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    await workspaces.close(one);
    await workspaces.merge(one);
    expect(existsSync(join(repository.folder, "ran"))).toBe(false);
  });
});
