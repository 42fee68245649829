import { describe, expect, it } from "vitest";
import { LONGEST, rank } from "./longest-first.ts";
import { projectFiles } from "./project-files.ts";

describe("given the order in which test files start", () => {
  it("then each file in the list of the longest exists", () => {
    const files = projectFiles("test/");
    expect(LONGEST.filter((name) => !files.includes(name.slice(1)))).toEqual([]);
  });

  it("then the longest come first, then the others that start processes, then the rest", () => {
    const inOrder = [...LONGEST, "/test/core/crashes/c.test.ts", "/test/core/a.test.ts"].map((name) => `/x${name}`);
    const ranks = inOrder.map(rank);
    expect(ranks).toEqual([...new Set(ranks)].sort((a, b) => a - b));
    expect(rank("/x/test/e2e/b.test.ts")).toBe(rank("/x/test/core/crashes/c.test.ts"));
  });
});
