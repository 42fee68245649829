import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryRoot } from "./temporary-root.ts";

let folder: string;

/** The run gets its own folder for temporary files, so that other runs on the machine do not count. */
export const setup = (): void => {
  folder = mkdtempSync(join(temporaryRoot(), "mooring-tests-"));
  process.env.TMPDIR = folder;
};

/** After the tests the folder must be empty, and no process may work in it or have it among its arguments. */
export const teardown = (): void => {
  const left = [...processesIn(folder), ...readdirSync(folder).map((name) => join(folder, name))];
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (left.length === 0) return;
  console.error(`The tests left behind:\n  ${left.join("\n  ")}`);
  process.exitCode = 1;
};

/** Processes that work in a folder, or have it among their arguments. Only Linux shows them. */
export const processesIn = (folder: string): string[] =>
  pids().flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const isThere = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      return isThere ? [`process ${pid}: ${command}`] : [];
    } catch {
      // The process has ended meanwhile, or belongs to another user.
      return [];
    }
  });

const pids = (): string[] => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
};
