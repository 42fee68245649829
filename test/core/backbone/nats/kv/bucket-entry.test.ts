import { describe, expect, it } from "vitest";
import { descend, revisionIn } from "../../../../../core/backbone/nats/kv/bucket-entry.ts";

const descended = (...writeIds: string[]): string =>
  writeIds.reduce((ancestry, writeId, index) => descend(ancestry, { writeId, revision: index + 1 }), "");

describe("given the writes that led to a revision", () => {
  it("when one of them is looked up, then its own revision is found", () => {
    const ancestry = descended("A1", "B", "A12");
    expect(ancestry).toBe("A12:3,B:2,A1:1");
    expect(["A1", "B", "A12", "A", "1"].map((writeId) => revisionIn(ancestry, writeId))).toEqual([
      1,
      2,
      3,
      undefined,
      undefined,
    ]);
  });

  it("when there were none, then no revision is found", () => {
    expect(revisionIn("", "A")).toBeUndefined();
    expect(revisionIn("", "")).toBeUndefined();
  });

  it("when there were many, then the last eight are found", () => {
    const writeIds = Array.from({ length: 20 }, (_, n) => `w${n}`);
    const ancestry = descended(...writeIds);
    expect(writeIds.filter((writeId) => revisionIn(ancestry, writeId) !== undefined)).toEqual(writeIds.slice(-8));
  });
});
