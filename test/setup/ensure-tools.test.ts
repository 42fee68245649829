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
  for (const name of ["chromium-headless-shell", "nginx", "prometheus"]) program(name);
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
    fakeAptGet(["nats-server", "chromium-headless-shell"]);
    const { status, stderr } = ensureTools(false);
    expect(stderr).toContain("sudo apt-get install nats-server chromium-headless-shell nginx prometheus");
    expect(status).toBe(1);
    expect(asked).toThrow("ENOENT");
  });

  it("when root has no apt-get, then the output says what to install", () => {
    const { status, stderr } = ensureTools(true);
    expect(stderr).toContain("The tests need nats-server and chromium-headless-shell and nginx and prometheus on PATH");
    expect(status).toBe(1);
  });
});

describe("given Chromium without its headless shell", () => {
  beforeEach(() => {
    for (const name of ["nats-server", "chromium", "nginx", "prometheus"]) program(name);
  });

  it("when root has apt-get, then the headless shell is installed", () => {
    fakeAptGet(["chromium-headless-shell"]);
    expect(ensureTools(true).status).toBe(0);
    expect(asked().at(-1)).toBe("noninteractive install -y -qq --no-install-recommends chromium-headless-shell");
  });

  it("when apt-get does not provide the shell, then Chromium is enough", () => {
    program("apt-get", "exit 100");
    expect(ensureTools(true)).toMatchObject({ status: 0, stderr: "" });
  });

  it("when the user may not install, then Chromium is enough, without output", () => {
    expect(ensureTools(false)).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });
});

describe("given a machine without tools, whose apt-get does not know the headless shell", () => {
  it("when root installs them, then Chromium is installed instead, with the other tools", () => {
    const known = ["nats-server", "chromium", "nginx", "prometheus"];
    fakeAptGet(known);
    const script = readFileSync(path.join(folder, "apt-get"), "utf8");
    const refusal = 'case "$*" in *chromium-headless-shell*) exit 100;; esac';
    program("apt-get", `${refusal}\n${script}`);
    expect(ensureTools(true).status).toBe(0);
    expect(asked().at(-1)).toBe(`noninteractive install -y -qq --no-install-recommends ${known.join(" ")}`);
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
