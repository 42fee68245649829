import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { endOrphans } from "../../../../core/tools/mcp/processes/end-orphans.ts";
import { ProcessRecords } from "../../../../core/tools/mcp/processes/process-records.ts";
import { identityOf } from "../../../../core/tools/mcp/processes/process-table.ts";
import { ALL, fakeServer, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";

const CHILD = fileURLToPath(new URL("../../../fakes/mcp/mooring-child.ts", import.meta.url));

let rig: McpRig;
const started: ChildProcess[] = [];
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await rig.dispose();
});

/** A Mooring process with one running server. */
const mooring = async (plan: object): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD, rig.dataDir, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "inherit"],
    // The cache would stay behind in the folder for temporary files.
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  started.push(child);
  await once(child.stdout, "data");
  return child;
};

const pidsIn = (log: ReturnType<McpRig["log"]>) =>
  log.lines().flatMap(({ started: server, child }) => (server ?? child ?? []) as number | number[]);
const alive = (pid: number) => identityOf(pid) !== undefined;
const ended = async (pids: readonly number[]) => {
  while (pids.some(alive)) await new Promise((resolve) => setTimeout(resolve, 20));
  return true;
};
const stubborn = (log: { readonly path: string }) => ({
  log: log.path,
  child: true,
  stayAlive: true,
  ignoreSigterm: true,
});

describe("given servers that run as child processes (T2)", () => {
  it("when Mooring stops, then the server and its own children end, even if they ignore SIGTERM", async () => {
    const log = rig.log();
    const { mcp, source } = rig.start({ tide: fakeServer(stubborn(log)) });
    await source.offer(ALL);
    const pids = pidsIn(log);
    expect(pids.map(alive)).toEqual([true, true]);
    await mcp.stop();
    expect(await ended(pids)).toBe(true);
    expect(log.lines().at(-1)).toBe("SIGTERM");
    expect(await readdir(join(rig.dataDir, "tool-processes"))).toEqual([]);
  });

  it("when a server ends by itself, then the processes that it started end too", async () => {
    const log = rig.log();
    const tools = ["die"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const { source } = rig.start({ tide: fakeServer({ log: log.path, child: true, tools }) });
    const offered = await source.offer(ALL);
    await expect(run(offered.tools, "tide__die")).rejects.toThrow("exit code 7");
    expect(await ended(pidsIn(log))).toBe(true);
  });

  it("when Mooring was killed, then the next start ends what it left, and no other process", async () => {
    const log = rig.log();
    const killed = await mooring(stubborn(log));
    const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    started.push(bystander);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const pids = pidsIn(log);
    expect(pids.map(alive)).toEqual([true, true]);

    const [name = ""] = await readdir(join(rig.dataDir, "tool-processes"));
    const file = join(rig.dataDir, "tool-processes", name);
    const record = JSON.parse(await readFile(file, "utf8"));
    // A process that has got the id of an earlier child is not one of ours: it has no marker.
    record.children.push(identityOf(bystander.pid ?? 0), { pid: process.pid, startTime: "1" });
    await writeFile(file, JSON.stringify(record));

    await endOrphans({ records: new ProcessRecords(rig.dataDir), clock: systemClock, logger: rig.logger });
    expect(await ended(pids)).toBe(true);
    expect(alive(bystander.pid ?? 0)).toBe(true);
    expect(await readdir(join(rig.dataDir, "tool-processes"))).toEqual([]);
    const [line] = rig.logger.lines.items;
    expect(line?.message).toBe("ending tool processes of an earlier run");
    expect(new Set(line?.fields.processes as number[])).toEqual(new Set(pids));
  });

  it("when Mooring was killed before it could record a child, then the marker alone finds it", async () => {
    const log = rig.log();
    const killed = await mooring(stubborn(log));
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const folder = join(rig.dataDir, "tool-processes");
    const [name = ""] = await readdir(folder);
    const record = JSON.parse(await readFile(join(folder, name), "utf8"));
    await writeFile(join(folder, name), JSON.stringify({ ...record, children: [] }));
    await endOrphans({ records: new ProcessRecords(rig.dataDir), clock: systemClock, logger: rig.logger });
    expect(await ended(pidsIn(log))).toBe(true);
  });

  it("when another Mooring process runs on the same machine, then its servers are left alone", async () => {
    const log = rig.log();
    await mooring(stubborn(log));
    const { source } = rig.start({ tide: fakeServer() });
    await source.offer(ALL);
    expect(pidsIn(log).map(alive)).toEqual([true, true]);
    const [sibling] = started;
    sibling?.kill("SIGTERM");
    expect(await ended(pidsIn(log))).toBe(true);
  });

  it("when the folder has other files, then they are left alone and the start goes on", async () => {
    const folder = join(rig.dataDir, "tool-processes");
    await mkdir(folder);
    await writeFile(join(folder, "x.json"), "{");
    const { source } = rig.start({ tide: fakeServer() });
    expect((await source.offer(ALL)).tools).toHaveLength(1);
    expect(await readdir(folder)).toContain("x.json");
  });

  it("when a server starts, then its environment has its variables and a few of ours, and none of our secrets", async () => {
    const log = rig.log();
    const environment = { PATH: process.env.PATH, HOME: "/home/ada", ANTHROPIC_API_KEY: "sk-secret", NODE_OPTIONS: "" };
    const { source } = rig.start({ tide: fakeServer({ log: log.path }, { env: { TIDE_KEY: "k" } }) }, environment);
    await source.offer(ALL);
    const { env } = log.lines()[0] as { env: Record<string, string> };
    expect(Object.keys(env).sort()).toEqual(["HOME", "MOORING_TOOL_INSTANCE", "PATH", "TIDE_KEY"]);
    expect([env.HOME, env.TIDE_KEY]).toEqual(["/home/ada", "k"]);
  });

  it("when a server writes to its standard error, then the log has a bounded part of it at debug, without secrets", async () => {
    const stderr = `password=hunter2 ${"x".repeat(2_000)}\n${"line\n".repeat(500)}`;
    const { source } = rig.start({ tide: fakeServer({ stderr }) });
    await source.offer(ALL);
    const lines = rig.logger.lines.items.filter(({ message }) => message === "server output");
    expect(lines.length).toBeLessThanOrEqual(100);
    expect(lines[0]).toMatchObject({ level: "debug", fields: { server: "tide" } });
    expect(String(lines[0]?.fields.output).length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });
});
