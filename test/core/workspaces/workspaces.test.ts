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
  it("when two subtasks change the same file, then each has its own, and both can be told apart (S12)", async () => {
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

  it("when a subtask is taken up again, then it finds what it has left, committed or not", async () => {
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

  it("when a process has died while it made a worktree, then it is made anew", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    mkdirSync(join(workspaces.pathOf(one), "half"), { recursive: true });
    const path = await workspaces.open(one);
    expect(existsSync(join(path, "half"))).toBe(false);
    expect(existsSync(join(path, "README.md"))).toBe(true);
  });

  it("when git has died while it filled a worktree, then it is made anew, whether or not the folder is there", async () => {
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

  it("when git has died while it noted changes, then its lock is not in the way for ever", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    writeFileSync(join(repository.path, ".git/worktrees", one.id, "index.lock"), "");
    expect(await workspaces.close(one)).toMatchObject({ files: 1, changed: ["new.md"] });
  });

  it("when a process has died while it discarded one, then the folder is there, by which the rest is found", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    await workspaces.open(one);
    repository.git("update-ref", "-d", `refs/heads/mooring/${one.id}`);
    expect(existsSync(workspaces.pathOf(one))).toBe(true);
    await workspaces.discard(one);
    expect(existsSync(workspaces.pathOf(one))).toBe(false);
    expect(repository.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("when it has changes that are not committed, then it is refused at once, with advice (S12)", async () => {
    repository.write("draft.md", "not yet");
    await expect(repository.workspaces().base()).rejects.toThrow(
      /not committed \(draft\.md\).*committed, stashed or discarded/,
    );
  });

  it.each([
    ["is not there", "/nonexistent"],
    ["is no repository", "/tmp"],
  ])("when it %s, then that is said", async (_, path) => {
    await expect(repository.workspaces({ repository: path }).base()).rejects.toThrow(`${path} is not a git repository`);
  });

  it("when changes are merged, then they are in the repository, and merging again changes nothing", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    writeFileSync(join(await workspaces.open(one), "new.md"), "a\n");
    await workspaces.close(one);
    expect(await workspaces.merge(one)).toBe("Merged into main.");
    expect(readFileSync(join(repository.path, "new.md"), "utf8")).toBe("a\n");
    expect(await workspaces.merge(one)).toBe("It is merged already.");
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("when changes conflict, then the files are named and the repository stays as it was", async () => {
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

  it("when a workspace is discarded, then worktree and branch are gone, and doing it again is harmless", async () => {
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

  it("when the repository has hooks, then none of them runs", async () => {
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
