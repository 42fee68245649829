import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignPartitions } from "../../../../../core/backbone/nats/partitions/assign-partitions.ts";

const members = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });

describe("given partitions to assign", () => {
  it("when there are members, then shares differ by at most one, and each partition has an owner", () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 64 }), (names, partitions) => {
        const owners = assignPartitions("group", partitions, names);
        const counts = names.map((name) => owners.filter((owner) => owner === name).length);
        expect(owners).not.toContain(undefined);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("when the members come in another order, then the result is the same", () => {
    fc.assert(
      fc.property(members, (names) => {
        expect(assignPartitions("group", 32, [...names].reverse())).toEqual(assignPartitions("group", 32, names));
      }),
    );
  });

  it("when one of many members leaves, then few partitions move", () => {
    const names = ["a", "b", "c", "d"];
    const before = assignPartitions("group", 32, names);
    const after = assignPartitions("group", 32, names.slice(1));
    const moved = before.filter((owner, partition) => owner !== "a" && owner !== after[partition]);
    expect(moved.length).toBeLessThanOrEqual(8);
  });

  it("when there are no members, then no partition has an owner", () => {
    expect(assignPartitions("group", 2, [])).toEqual([undefined, undefined]);
  });
});
