import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buggyAdapters, MIN_BUGS, plantedBugs, sourceOf } from "./buggy-adapters.ts";
import { plant } from "./planted-bug.ts";

describe("given the table of bugs that the contract suite must find (C1)", () => {
  it("then it has enough bugs, of every adapter with a platform of its own", () => {
    expect(plantedBugs.length).toBeGreaterThanOrEqual(MIN_BUGS);
    expect(buggyAdapters.map(({ name }) => name)).toEqual(["slack", "discord", "teams", "telegram", "web"]);
    for (const { bugs } of buggyAdapters) expect(bugs.length).toBeGreaterThanOrEqual(15);
  });

  it.each(plantedBugs)("when $id is planted, then exactly one place of its file changes", (bug) => {
    const source = readFileSync(sourceOf(bug), "utf8");
    expect(plant(source, bug)).not.toBe(source);
  });

  it("when the text of a bug is missing or ambiguous, then planting it fails", () => {
    const bug = { file: "a.ts", find: "x", replace: "y", breaks: "" };
    expect(() => plant("z", bug)).toThrow(/a.ts has 0 times: x/);
    expect(() => plant("xx", bug)).toThrow(/a.ts has 2 times: x/);
    expect(plant("axb", bug)).toBe("ayb");
  });
});
