import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesIn } from "./nothing-left.ts";

describe.runIf(process.platform === "linux")("given a process that works in a folder of the tests", () => {
  it("then it is found while it runs, and not after its end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mooring-left-"));
    const child = spawn("sleep", ["60"], { cwd: folder, stdio: "ignore" });
    const ended = once(child, "exit");
    try {
      await once(child, "spawn");
      expect(processesIn(folder)).toEqual([`process ${child.pid}: sleep 60`]);
    } finally {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    }
    expect(processesIn(folder)).toEqual([]);
  });
});
