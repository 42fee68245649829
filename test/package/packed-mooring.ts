import { execFile } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { projectRoot } from "../setup/project-files.ts";
import { LocalRegistry } from "./local-registry.ts";

const run = promisify(execFile);

/** npm and the compiler need half a minute on an idle machine with two cores. */
export const PACK_TIMEOUT_MS = 300_000;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The package as a stranger gets it: packed from the build, and installed with npm in an empty folder. The files are
 * staged first, because `npm pack` in the project would build `dist/` again while other tests run it.
 */
export class PackedMooring {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly #root: string;

  private constructor(root: string, tarball: string, files: readonly string[]) {
    this.#root = root;
    this.tarball = tarball;
    this.files = files;
  }

  /** `types`: also emits the declarations, which takes several seconds. */
  static async pack({ types }: { types: boolean }): Promise<PackedMooring> {
    await requireFreshBuild();
    const root = await mkdtemp(join(tmpdir(), "mooring-packed-"));
    const stage = join(root, "stage");
    mkdirSync(stage);
    for (const entry of ["package.json", "README.md", "LICENSE", "CHANGELOG.md", "deploy", "dist", "docs", "examples"])
      cpSync(join(projectRoot, entry), join(stage, entry), { recursive: true });
    if (types) {
      const { buildTypes } = await import("../setup/build-types.mjs");
      buildTypes(join(stage, "dist/types"));
    }
    const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json"], { cwd: stage, env: npmEnvironment() });
    const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
    if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
    return new PackedMooring(
      root,
      join(stage, packed.filename),
      packed.files.map(({ path }) => path),
    );
  }

  /** An empty folder in which a stranger has installed the package. */
  async install(name: string, packages: readonly string[] = []): Promise<Installation> {
    const folder = join(this.#root, name);
    mkdirSync(folder);
    await writeFile(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", type: "module" }));
    const registry = await new LocalRegistry().open();
    try {
      const flags = ["--registry", registry.url, "--cache", join(this.#root, "cache"), "--no-audit", "--no-fund"];
      await run("npm", ["install", this.tarball, ...packages, ...flags], { cwd: folder, env: npmEnvironment() });
    } finally {
      await registry.close();
    }
    return new Installation(folder);
  }

  async dispose(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }
}

export class Installation {
  readonly folder: string;
  readonly main: string;

  constructor(folder: string) {
    this.folder = folder;
    this.main = join(folder, "node_modules/mooring/dist/mooring.js");
  }

  async write(file: string, content: string | object): Promise<void> {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }

  /** Links a tool of the project, such as a test runner, into the installation. */
  async link(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const target = join(this.folder, "node_modules", name);
      mkdirSync(dirname(target), { recursive: true });
      await symlink(join(projectRoot, "node_modules", name), target);
    }
  }

  npx(...args: readonly string[]): Promise<Ran> {
    return this.#run("npx", ["--no-install", ...args]);
  }

  node(...args: readonly string[]): Promise<Ran> {
    return this.#run(process.execPath, args);
  }

  /** Evaluates a module in the folder. */
  evaluate(source: string): Promise<Ran> {
    return this.node("--input-type=module", "--eval", source);
  }

  async #run(command: string, args: readonly string[]): Promise<Ran> {
    const options = { cwd: this.folder, env: npmEnvironment(), maxBuffer: 32 * 1024 * 1024 };
    return run(command, args, options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code?: number; stdout?: string; stderr?: string }) => ({
        code: error.code ?? -1,
        stdout: error.stdout ?? "",
        stderr: error.stderr ?? String(error),
      }),
    );
  }
}

/** Without the settings that `npm test` passes to its children. */
const npmEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^VITEST|^MOORING/i.test(name))),
  // From Node 22 on, npm would keep a cache of compiled code in the temporary folder.
  NODE_DISABLE_COMPILE_CACHE: "1",
});
