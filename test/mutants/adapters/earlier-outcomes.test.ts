import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EarlierOutcomes, versionOf } from "./earlier-outcomes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mooring-outcomes-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("given the outcomes of planted bugs", () => {
  it("when a run was interrupted, then the next one of the same code knows its outcomes (C1)", () => {
    const outcome = { id: "slack-1", killed: true, by: "a case" };
    new EarlierOutcomes(folder).add(outcome);
    expect(new EarlierOutcomes(folder).read()).toEqual([outcome]);
  });

  it("when a file changes or gets another name, then its version changes (C1)", () => {
    const source = join(folder, "source");
    mkdirSync(source);
    writeFileSync(join(source, "a.ts"), "1");
    const first = versionOf([source]);
    expect(versionOf([source])).toBe(first);
    writeFileSync(join(source, "a.ts"), "2");
    const second = versionOf([source]);
    writeFileSync(join(source, "b.ts"), "2");
    expect(new Set([first, second, versionOf([source])]).size).toBe(3);
  });
});
