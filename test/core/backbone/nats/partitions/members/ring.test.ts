import { describe, expect, it } from "vitest";
import { Ring } from "../../../../../../core/backbone/nats/partitions/members/ring.ts";

const ringOf = (ownId: string, members: readonly string[]) => {
  const ring = new Ring(() => ownId);
  for (const member of members) ring.add(member);
  return ring;
};
const letters = [..."abcdefgh"];

describe("given a ring of members", () => {
  it.each([
    ["a", ["b", "c", "d"]],
    ["f", ["g", "h", "a"]],
    ["h", ["a", "b", "c"]],
    ["cc", ["d", "e", "f"]],
  ])("when the process is %s, then it checks the next three", (ownId, next) => {
    expect(ringOf(ownId, letters).next).toEqual(next);
  });

  it("when each process checks the next three, then each member is checked by three processes", () => {
    const checked = letters.flatMap((ownId) => ringOf(ownId, letters).next);
    for (const member of letters) expect(checked.filter((one) => one === member)).toHaveLength(3);
  });

  it("when there are fewer than three others, then each one is checked", () => {
    expect(ringOf("b", ["a", "b", "c"]).next).toEqual(["c", "a"]);
    expect(ringOf("a", ["a"]).next).toEqual([]);
  });

  it("when members join and leave, then it says whether the next ones have changed", () => {
    const ring = ringOf("a", ["a", "b", "d", "f"]);
    expect(ring.next).toEqual(["b", "d", "f"]);
    expect(ring.add("g")).toBe(false);
    expect(ring.add("c")).toBe(true);
    expect(ring.next).toEqual(["b", "c", "d"]);
    expect(ring.delete("g")).toBe(false);
    expect(ring.delete("b")).toBe(true);
    expect(ring.next).toEqual(["c", "d", "f"]);
  });

  it("when the process rejoins under another id, then its place changes", () => {
    let ownId = "a";
    const ring = new Ring(() => ownId);
    for (const member of letters) ring.add(member);
    expect(ring.next).toEqual(["b", "c", "d"]);
    ownId = "e5";
    expect(ring.next).toEqual(["f", "g", "h"]);
  });
});
