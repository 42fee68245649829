import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL, fakeServer, McpRig, run } from "../../../fakes/mcp/mcp-rig.ts";

let rig: McpRig;
beforeEach(async () => {
  rig = await McpRig.create();
});
afterEach(() => rig.dispose());

/** A server that is being stopped because it was idle, and that takes until SIGTERM to end. */
const stoppingServer = async (plan: object) => {
  const { source } = rig.start({ tide: fakeServer({ stayAlive: true, ...plan }, { idleMs: 1_000 }) });
  const { tools } = await source.offer(ALL);
  await rig.logger.lines.until((lines) => lines.some(({ message }) => message === "tool server is idle, stopping it"));
  return tools;
};

describe("given a server that is being stopped (T2)", () => {
  it("when it is called again, then the next start waits until the program, which holds a lock, has ended", async () => {
    const tools = await stoppingServer({ lock: join(rig.dataDir, "lock") });
    expect(await run(tools, "tide__echo", { text: "hi" })).toEqual({ text: "echo: hi" });
    expect(rig.logger.lines.items.filter(({ message }) => message === "tool server failed")).toEqual([]);
  });

  it("when the next start fails, then the call says so, and nothing else fails", async () => {
    const exitIf = join(rig.dataDir, "exit");
    const tools = await stoppingServer({ exitIf });
    await writeFile(exitIf, "");
    await expect(run(tools, "tide__echo")).rejects.toThrow("it ended (exit code 3)");
  });
});

describe("given metrics of tool servers (T5)", () => {
  it("when a server starts, dies and cannot start again, then starts are counted by outcome, and the gauge says what runs", async () => {
    const exitIf = join(rig.dataDir, "exit");
    const tools = ["die", "echo"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const { source } = rig.start({ tide: fakeServer({ exitIf, tools }) });
    const offered = await source.offer(ALL);
    const running = () => rig.meter.gauges["mcp_server_running mooring tide"];
    expect(running()).toBe(1);
    await expect(run(offered.tools, "tide__die")).rejects.toThrow("exit code 7");
    expect(running()).toBe(0);
    await writeFile(exitIf, "");
    await expect(run(offered.tools, "tide__echo")).rejects.toThrow("exit code 3");
    expect(rig.meter.counts).toMatchObject({
      "mcp_server_starts_total mooring tide started": 1,
      "mcp_server_starts_total mooring tide failed": 1,
    });
  });
});
