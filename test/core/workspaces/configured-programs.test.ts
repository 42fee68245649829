import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ScratchRepository } from "./scratch-repository.ts";

let repository: ScratchRepository;
let canaries: string;
beforeEach(() => {
  repository = new ScratchRepository({
    "README.md": "one\ntwo\nthree\n",
    "tides.md": "ebb\n",
    "knots.md": "bowline\n",
  });
  canaries = join(repository.folder, "canaries");
  mkdirSync(canaries);
});
afterEach(() => repository.remove());

/** A program that creates a file with its name when it runs. */
const program = (name: string): string => {
  const path = join(repository.folder, `program-${name}`);
  writeFileSync(path, `#!/bin/sh\ntouch "${canaries}/${name}"\nexec cat\n`);
  chmodSync(path, 0o755);
  return path;
};

const subtask = (n: number, base: string) => ({ id: `subtask-0000000${n}`, name: `knots ${n}`, workspace: { base } });

/** The keys of git that can name a program, and the attributes that select one. */
const PROGRAM_KEYS = [
  ...["filter.a.clean", "filter.a.smudge", "filter.b.process", "filter.c=d.clean", "filter.c=d.smudge"],
  ...["diff.a.textconv", "diff.b.command", "diff.external", "merge.a.driver", "merge.e.driver"],
  ...["core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "gpg.program"],
];
const ATTRIBUTES = [
  "README.md filter=a diff=a merge=a",
  "tides.md filter=b diff=b",
  "knots.md filter=c=d",
  ".gitattributes filter=a",
];

const configure = (): void => {
  for (const key of PROGRAM_KEYS) repository.git("config", key, program(key));
  for (const driver of ["a", "b", "c=d"]) repository.git("config", `filter.${driver}.required`, "true");
  repository.git("config", "merge.default", "e");
  repository.git("config", "commit.gpgSign", "true");
  repository.git("config", "merge.verifySignatures", "true");
};

/** Two subtasks change the same lines: the changes of the first are merged, those of the second conflict. */
const twoSubtasksWork = async (beforeTheyEnd: () => void = () => undefined) => {
  const workspaces = repository.workspaces();
  const base = await workspaces.base();
  const both = [subtask(1, base), subtask(2, base)] as const;
  const text = (id: string) => `${id}\ntwo\nthree\n`;
  for (const one of both) {
    const path = await workspaces.open(one);
    writeFileSync(join(path, ".gitattributes"), ATTRIBUTES.join("\n"));
    for (const name of ["README.md", "tides.md", "knots.md"]) writeFileSync(join(path, name), text(one.id));
  }
  beforeTheyEnd();
  for (const one of both) {
    expect(await workspaces.close(one)).toMatchObject({ files: 4 });
    expect(await workspaces.diff(one)).toContain(`+${one.id}`);
  }
  expect(await workspaces.merge(both[0])).toBe("Merged into main.");
  await expect(workspaces.merge(both[1])).rejects.toThrow("conflicts in README.md, knots.md, tides.md");
  const third = subtask(3, await workspaces.base());
  expect(readFileSync(join(await workspaces.open(third), "README.md"), "utf8")).toBe(text(both[0].id));
};

describe("given a repository whose configuration names programs", () => {
  it("when subtasks select them by attributes, then no program runs (S12)", async () => {
    configure();
    await twoSubtasksWork();
    expect(readdirSync(canaries)).toEqual([]);
  });

  it("when they are configured while subtasks run, then no program runs (S12)", async () => {
    await twoSubtasksWork(configure);
    expect(readdirSync(canaries)).toEqual([]);
  });

  it("when they are in a file that the configuration includes, then no program runs (S12)", async () => {
    const included = join(repository.folder, "included");
    writeFileSync(included, `[filter "a"]\n\tclean = ${program("clean")}\n\tsmudge = ${program("smudge")}\n`);
    repository.git("config", "include.path", included);
    await twoSubtasksWork();
    expect(readdirSync(canaries)).toEqual([]);
  });
});

describe("given a subtask whose command changes git's own files", () => {
  it("when it creates a repository with a filter inside its workspace, then no program runs and nothing is committed (S12)", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    const nested = join(await workspaces.open(one), "nested");
    mkdirSync(nested);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: nested, stdio: "ignore" });
    git("init", "--quiet");
    writeFileSync(join(nested, "a.md"), "a\n");
    git("add", "--all");
    git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--message", "first");
    git("config", "filter.odd.clean", program("clean"));
    writeFileSync(join(nested, ".gitattributes"), "* filter=odd\n");
    writeFileSync(join(nested, "a.md"), "b\n");
    for (const _ of ["once", "again"]) {
      await expect(workspaces.close(one)).rejects.toThrow("has git repositories inside (nested/)");
    }
    expect(readdirSync(canaries)).toEqual([]);
    expect(await workspaces.changes(one)).toMatchObject({ files: 0 });
  });

  it("when it replaces the repository of its workspace, then no program runs and nothing is committed (S12)", async () => {
    const workspaces = repository.workspaces();
    const one = subtask(1, await workspaces.base());
    const path = await workspaces.open(one);
    rmSync(join(path, ".git"));
    execFileSync("git", ["init", "--quiet"], { cwd: path });
    execFileSync("git", ["config", "filter.odd.clean", program("clean")], { cwd: path });
    writeFileSync(join(path, ".gitattributes"), "* filter=odd\n");
    await expect(workspaces.close(one)).rejects.toThrow("is not a complete worktree of the repository");
    expect(readdirSync(canaries)).toEqual([]);
  });

  it("when it points its workspace at another subtask's entry, then nothing is committed there (S12)", async () => {
    const workspaces = repository.workspaces();
    const base = await workspaces.base();
    const [one, two] = [subtask(1, base), subtask(2, base)];
    const [path] = [await workspaces.open(one), await workspaces.open(two)];
    writeFileSync(join(path, ".git"), `gitdir: ${join(repository.path, ".git/worktrees", two.id)}\n`);
    writeFileSync(join(path, "new.md"), "a\n");
    await expect(workspaces.close(one)).rejects.toThrow("is not a complete worktree of the repository");
    expect(await workspaces.close(two)).toMatchObject({ files: 0 });
  });
});
