import { describe, expect, it } from "vitest";
import { projectFiles } from "../setup/project-files.ts";
import { read } from "./deploy-files.ts";

const unit = read("deploy/systemd/mooring.service");
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value);

describe("given the systemd unit (U5)", () => {
  it("then it starts the program where the page installs it, as its own user", () => {
    const page = read("docs/operations/service.md");
    const { name, bin } = JSON.parse(read("package.json"));
    const [, prefix] = /npm install --prefix (\S+)/.exec(page) ?? [];
    const program = `${prefix}/node_modules/${name}/${bin.mooring}`;
    expect(valuesOf("ExecStart")).toEqual([`/usr/bin/node ${program} start --config /etc/mooring/mooring.yaml`]);
    expect(page).toContain("/etc/mooring/mooring.yaml   # with dataDir: /var/lib/mooring");
    expect([valuesOf("User"), valuesOf("StateDirectory")]).toEqual([["mooring"], ["mooring"]]);
    expect(page).toMatch(/useradd .* mooring$/m);
  });

  it("then it waits longer than Mooring needs to stop, restarts it after a crash, and keeps its children in reach", () => {
    expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(25);
    expect(valuesOf("Restart")).toEqual(["always"]);
    expect(valuesOf("KillMode")).toEqual(["mixed"]);
    expect(valuesOf("ExecReload"), "SIGHUP reloads the configuration").toEqual(["/bin/kill -HUP $MAINPID"]);
  });

  it.each([
    ["ProtectSystem", "strict"],
    ["ProtectHome", "true"],
    ["NoNewPrivileges", "true"],
    ["CapabilityBoundingSet", ""],
    ["PrivateTmp", "true"],
    ["PrivateDevices", "true"],
    ["RestrictNamespaces", "true"],
    ["RestrictSUIDSGID", "true"],
    ["UMask", "0077"],
    ["StateDirectoryMode", "0700"],
  ])("then it sets %s=%s", (name, value) => {
    expect(valuesOf(name)).toEqual([value]);
  });

  it("then it leaves machine code to Node, and refuses privileged system calls", () => {
    expect(valuesOf("MemoryDenyWriteExecute")).toEqual([]);
    expect(valuesOf("SystemCallFilter")).toEqual(["@system-service", "~@privileged @resources"]);
  });
});

describe("given the files for operators", () => {
  it("then a page of the documentation links each of them", () => {
    const pages = projectFiles("docs/")
      .filter((file) => file.endsWith(".md"))
      .map(read)
      .join("\n");
    const shipped = projectFiles("deploy/").filter((file) => !file.endsWith(".test.yaml"));
    expect(shipped.filter((file) => !pages.includes(`../../${file})`))).toEqual([]);
  });
});
