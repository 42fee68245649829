import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignPartitions } from "../../../../../core/backbone/nats/partitions/assign-partitions.ts";

const members = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });

describe("assigning partitions", () => {
  it("gives everybody the same share, give or take one, and every partition an owner", () => {
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 64 }), (names, partitions) => {
        const owners = assignPartitions("group", partitions, names);
        const counts = names.map((name) => owners.filter((owner) => owner === name).length);
        expect(owners).not.toContain(undefined);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("does not depend on the order in which a process learnt of the others", () => {
    fc.assert(
      fc.property(members, (names) => {
        expect(assignPartitions("group", 32, [...names].reverse())).toEqual(assignPartitions("group", 32, names));
      }),
    );
  });

  it("moves few partitions when one of many leaves", () => {
    const names = ["a", "b", "c", "d"];
    const before = assignPartitions("group", 32, names);
    const after = assignPartitions("group", 32, names.slice(1));
    const moved = before.filter((owner, partition) => owner !== "a" && owner !== after[partition]);
    expect(moved.length).toBeLessThanOrEqual(8);
  });

  it("leaves everything without an owner if there is nobody", () => {
    expect(assignPartitions("group", 2, [])).toEqual([undefined, undefined]);
  });
});
