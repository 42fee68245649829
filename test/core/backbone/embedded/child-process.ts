import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { childProgram } from "../../../fakes/child-program.ts";

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line that matches. */
  says(pattern: RegExp): Promise<string>;
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

const child = (command: string, args: string[]): Child => {
  const started = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  const reader = createInterface({ input: started.stdout });
  reader.on("line", (line) => lines.push(line));
  const ended = once(started, "close");
  const kill = async () => {
    started.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  const says = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (line: string) => pattern.test(line) && resolve(line);
      lines.forEach(check);
      reader.on("line", check);
      void ended.then(() => {
        const { exitCode, signalCode } = started;
        const said = lines.slice(-3).join(" | ");
        reject(new Error(`ended (${exitCode ?? signalCode}) without saying ${pattern}; it said: ${said}`));
      });
    });
  return { process: started, lines, says, ended, kill };
};

const nodeArgs = (script: string, args: string[]): string[] => [
  childProgram(new URL(`./${script}`, import.meta.url)),
  ...args,
];

/** Runs a script of this folder in a child process. */
export const runScript = (script: string, args: string[], flags: string[] = []): Child =>
  child(process.execPath, [...flags, ...nodeArgs(script, args)]);

/** Runs a script with a limit on the file size in kilobytes: larger writes fail as on a broken disk. */
export const runScriptOnSmallFiles = (script: string, args: string[], kilobytes: number): Child =>
  child("sh", ["-c", `ulimit -f ${kilobytes * 2}; exec "$@"`, "sh", process.execPath, ...nodeArgs(script, args)]);
