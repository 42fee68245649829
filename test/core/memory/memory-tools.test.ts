import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbeddedBackbone } from "../../../core/backbone/embedded/open-embedded-backbone.ts";
import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import type { ToolContext } from "../../../core/contract/tool.ts";
import { memoryTools } from "../../../core/memory/memory-tools.ts";
import { memoryIndexKey } from "../../../core/memory/working-memory.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

let dataDir: string;
let backbone: Backbone;
let clock: ManualClock;
beforeEach(async () => {
  clock = new ManualClock(Date.parse("2026-03-10T12:00:00Z"));
  dataDir = await mkdtemp(join(tmpdir(), "mooring-memory-"));
  backbone = await openEmbeddedBackbone({ dataDir, clock, logger: silentLogger });
});
afterEach(async () => {
  await backbone.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs a tool as a turn does: the schema of the tool parses the input. */
const call = async (name: string, input: unknown, sessionId = "s-1"): Promise<string> => {
  const tool = memoryTools(backbone.store, clock).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return String(await tool.run(tool.input.parse(input), { sessionId } as ToolContext));
};
const save = (key: string, value: string, rest = {}) => call("save_to_working_memory", { key, value, ...rest });
const get = (key: string, rest = {}) => call("get_from_working_memory", { key, ...rest });
const list = () => call("list_working_memory", {});

describe("given the working memory of a session", () => {
  it("when a note is saved, then it can be read, listed, replaced and deleted", async () => {
    expect(await save("research/rome", "753 BC")).toBe(
      'Saved "research/rome" (6 bytes) until 2026-03-11T12:00:00.000Z.',
    );
    expect(await get("research/rome")).toBe("753 BC");
    await save("research/rome", "founded 753 BC");
    expect(await list()).toBe("- research/rome (14 bytes, until 2026-03-11T12:00:00.000Z)");
    expect(await call("delete_from_working_memory", { key: "research/rome" })).toBe('Deleted "research/rome".');
    expect(await call("delete_from_working_memory", { key: "research/rome" })).toBe(
      'There was no note "research/rome".',
    );
    expect(await get("research/rome")).toContain("There is no note");
    expect(await list()).toBe("There are no notes.");
  });

  it("when another session reads or lists, then it finds no note (I4)", async () => {
    await save("mine", "secret");
    expect(await call("get_from_working_memory", { key: "mine" }, "s-2")).toContain("There is no note");
    expect(await call("list_working_memory", {}, "s-2")).toBe("There are no notes.");
  });

  it("when the expiry of a note has passed, then it is neither read nor listed", async () => {
    await save("short", "x", { expiresInMinutes: 10 });
    await save("long", "y");
    clock.advance(10 * 60_000);
    expect(await get("short")).toContain("There is no note");
    expect(await list()).toMatch(/^- long/);
    clock.advance(24 * 3_600_000);
    expect(await list()).toBe("There are no notes.");
  });

  it("when notes are saved concurrently, then the list has all of them", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => save(`note-${n}`, String(n))));
    expect((await list()).split("\n")).toHaveLength(20);
  });

  it("when a limit is exceeded, then the error names it and says what to do", async () => {
    await expect(save("big", "é".repeat(32_001))).rejects.toThrow("64002 bytes; the maximum is 64000");
    await expect(save("k".repeat(201), "x")).rejects.toThrow("200");
    await expect(save("a\u0000b", "x")).rejects.toThrow("control characters");
    const notes = Array.from({ length: 500 }, (_, n) => ({ key: `note-${n}`, bytes: 1, expiresAt: clock.now() + 1 }));
    await backbone.store.put(memoryIndexKey("s-1"), { notes });
    await expect(save("one more", "x")).rejects.toThrow("Delete some");
    expect(await save("note-7", "changed")).toContain("Saved");
  });

  it("when a note is longer than a tool's output, then it is read in pieces", async () => {
    const value = "abcdefghij".repeat(1_100);
    await save("long", value);
    const first = await get("long");
    expect(first).toContain("[6000 characters follow: continue with offset 5000]");
    const rest = `${await get("long", { offset: 5_000 })}`.split("\n")[0] + (await get("long", { offset: 10_000 }));
    expect(first.split("\n")[0] + rest).toBe(value);
  });
});
