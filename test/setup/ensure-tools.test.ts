import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findTool } from "./find-tool.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "mooring-tools-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (name: string, script = "") => {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(folder, name), 0o755);
};
/** A fake apt-get: records its arguments, and "installs" by writing into the same folder. */
const fakeAptGet = (installs: readonly string[]) =>
  program(
    "apt-get",
    [
      `echo "$DEBIAN_FRONTEND $*" >> '${folder}/asked'`,
      ...installs.map(
        (tool) => `[ "$1" != install ] || { echo > '${folder}/${tool}'; /bin/chmod 755 '${folder}/${tool}'; }`,
      ),
    ].join("\n"),
  );

const script = new URL("./ensure-tools.mjs", import.meta.url).href;

const ensureTools = (isRoot: boolean) => {
  const options = { isRoot, searchPath: folder, usualFolders: [] };
  const code = `import { ensureTools } from "${script}"; process.exitCode = ensureTools(${JSON.stringify(options)});`;
  return spawnSync(process.execPath, ["--input-type=module", "-e", code], { env: { PATH: folder }, encoding: "utf8" });
};
/** The tools that no case is about. */
const others = () => {
  for (const name of ["chromium", "nginx", "prometheus"]) program(name);
};
const asked = () => readFileSync(path.join(folder, "asked"), "utf8").trim().split("\n");

describe("given the tools are on PATH", () => {
  it("then they are used without output", () => {
    program("nats-server");
    others();
    fakeAptGet([]);
    expect(ensureTools(true)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(asked).toThrow("ENOENT");
  });
});

describe("given a tool is missing", () => {
  it("when root has apt-get, then only the missing tool is installed, and the command is printed", () => {
    others();
    fakeAptGet(["nats-server"]);
    const { status, stdout } = ensureTools(true);
    expect(asked()).toEqual([
      "noninteractive update -qq",
      "noninteractive install -y -qq --no-install-recommends nats-server",
    ]);
    expect(stdout).toContain("apt-get install -y -qq --no-install-recommends nats-server");
    expect(status).toBe(0);
  });

  it("when apt-get does not provide it, then the error says so and the command fails", () => {
    others();
    fakeAptGet([]);
    const { status, stderr } = ensureTools(true);
    expect(stderr).toContain("apt-get could not install: nats-server");
    expect(status).toBe(1);
  });

  it("when the user may not install, then the output says exactly what to install, and apt-get is not called", () => {
    fakeAptGet(["nats-server", "chromium"]);
    const { status, stderr } = ensureTools(false);
    expect(stderr).toContain("sudo apt-get install nats-server chromium nginx prometheus");
    expect(status).toBe(1);
    expect(asked).toThrow("ENOENT");
  });

  it("when root has no apt-get, then the output says what to install", () => {
    const { status, stderr } = ensureTools(true);
    expect(stderr).toContain("The tests need nats-server and chromium and nginx and prometheus on PATH");
    expect(status).toBe(1);
  });
});

describe("given the name of a tool", () => {
  it("when a folder or a file without execute permission has it, then it is not the tool", () => {
    mkdirSync(path.join(folder, "chromium"));
    writeFileSync(path.join(folder, "nats-server"), "");
    const options = { searchPath: folder, usualFolders: [] };
    expect([findTool("chromium", options), findTool("nats-server", options)]).toEqual([undefined, undefined]);
  });

  it("when PATH does not have it but a standard folder does, then it is found there", () => {
    program("nats-server");
    expect(findTool("nats-server", { searchPath: "", usualFolders: [folder] })).toBe(path.join(folder, "nats-server"));
  });
});
