import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { projectRoot } from "./setup/project-files.ts";

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(`${projectRoot}package-lock.json`, "utf8"),
);
/** The entry "" is Mooring itself. */
const locked = Object.entries(lock.packages).filter(([path]) => path !== "");
const pathsOf = (entries: typeof locked): string[] => entries.map(([path]) => path);

/** `a >= b` for plain versions. */
const isAtLeast = (a: string, b: string): boolean => a.localeCompare(b, "en", { numeric: true }) >= 0;

describe("given the lock file", () => {
  it("then npm can verify every package, of every platform, against a sha512 digest", () => {
    expect(locked.length).toBeGreaterThan(200);
    expect(pathsOf(locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? "")))).toEqual([]);
  });

  it("then it names no host, so that npm takes packages from the registry that is configured", () => {
    expect(pathsOf(locked.filter(([, { resolved }]) => resolved !== undefined))).toEqual([]);
  });

  // GHSA-w5hq-g745-h8pq: v3, v5 and v6 write past the end of a caller's buffer
  it("then no uuid in it is older than 11.1.1", () => {
    const uuids = locked.filter(([path]) => path.endsWith("node_modules/uuid"));
    expect(pathsOf(uuids.filter(([, { version }]) => !isAtLeast(version, "11.1.1")))).toEqual([]);
  });
});
