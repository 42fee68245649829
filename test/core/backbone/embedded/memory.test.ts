import { describe, expect, it } from "vitest";
import { runScript } from "./child-process.ts";
import { scratchDir } from "./scratch.ts";

describe("given a process that handles all its messages", () => {
  it("when it has handled a hundred thousand messages, then its heap has not grown (F29)", async () => {
    const child = runScript("memory-child.ts", [scratchDir(), "100000"], ["--expose-gc"]);
    await child.ended;
    const heaps = child.lines.map(Number);
    expect(heaps).toHaveLength(10);
    // One retained object per message would be 80,000 objects, at least 5 MB.
    expect((heaps[9] as number) - (heaps[1] as number)).toBeLessThan(3_000_000);
  });
});
