import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { WorkspaceConfig } from "../../../core/workspaces/config.ts";
import { Workspaces } from "../../../core/workspaces/workspaces.ts";

/** A real repository with one commit, in a temporary folder. */
export class ScratchRepository {
  readonly folder = mkdtempSync(join(tmpdir(), "mooring-repository-"));
  readonly path = join(this.folder, "repository");

  constructor(files: Readonly<Record<string, string>> = { "README.md": "one\ntwo\nthree\n" }) {
    mkdirSync(this.path);
    this.git("init", "--quiet", "--initial-branch", "main");
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.git("add", "--all");
    this.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--message", "first");
  }

  workspaces(changes: Partial<WorkspaceConfig> = {}): Workspaces {
    const options = { ...WorkspaceConfig.parse({ repository: this.path, ...changes }), folder: this.worktrees };
    return new Workspaces(options, { lockWaitMs: 100 });
  }

  get worktrees(): string {
    return join(this.folder, "worktrees");
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.path, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(join(this.path, name), text);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
