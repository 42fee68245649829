import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { newerSource } from "../setup/newer-source.ts";
import { projectRoot } from "../setup/project-files.ts";

export const MAIN = join(projectRoot, "dist/mooring.js");

export interface MooringProcess {
  readonly pid: number;
  /** Resolves to the address that the greeting shows, once it runs. */
  readonly running: Promise<string>;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
  /** The main file of another build. */
  readonly main?: string;
}

/** The built product as a child process. It inherits only the PATH from this process's environment. */
export const startMooring = (args: readonly string[], options: StartOptions): MooringProcess => {
  const child: ChildProcess = spawn(process.execPath, [...(options.nodeArgs ?? []), options.main ?? MAIN, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  const exited = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const running = new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", (data) => {
      stdout += data;
      if (stdout.includes("Ctrl-C stops it.")) resolve(/Open\s+(\S+)/.exec(stdout)?.[1] ?? "");
    });
    child.stderr?.on("data", (data) => {
      stderr += data;
    });
    void exited.then(() => reject(new Error(`it ended before it ran:\n${stdout}${stderr}`)));
  });
  running.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    running,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
  };
};

/** The tests run the build; an outdated build would prove nothing about the sources. */
export const requireFreshBuild = async (): Promise<void> => {
  if (!existsSync(MAIN)) throw new Error("dist/ is missing: npm run build");
  const newer = newerSource(MAIN, ["core", "adapters", "gateway", "config"]);
  if (newer !== undefined) throw new Error(`${newer} is newer than dist/: npm run build`);
};
