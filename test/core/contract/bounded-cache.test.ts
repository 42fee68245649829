import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedCache } from "../../../core/contract/bounded-cache.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

describe("given a full cache", () => {
  it("when an entry is added, then the entry that was set longest ago is evicted", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([...cache]).toEqual([
      ["a", 3],
      ["c", 4],
    ]);
  });

  it("when an entry is read, then that does not make it newer", () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set("a", 1).set("b", 2);
    cache.get("a");
    cache.set("c", 3);
    expect([...cache.keys()]).toEqual(["b", "c"]);
  });

  it("when its limit is large, then one eviction frees a sixteenth of it", () => {
    const cache = new BoundedCache<number, true>(1_600);
    for (let key = 0; key <= 1_600; key++) cache.set(key, true);
    expect([cache.size, cache.keys().next().value]).toEqual([1_500, 101]);
  });

  it("when it was cleared, then it holds as many entries as before", () => {
    const cache = new BoundedCache<number, true>(2);
    cache.set(1, true).set(2, true).clear();
    expect([...cache.set(3, true).set(4, true).keys()]).toEqual([3, 4]);
  });
});

describe("given a cache that is bounded by weight", () => {
  it("when an entry exceeds the limit alone, then it is the only one that stays", () => {
    const cache = new BoundedCache<string, string>(10, ({ length }) => length);
    cache.set("a", "123").set("b", "456").set("c", "x".repeat(50));
    expect([...cache.keys()]).toEqual(["c"]);
    expect([...cache.set("d", "1").keys()]).toEqual(["d"]);
  });

  it("when an entry is replaced or deleted, then its old weight no longer counts", () => {
    const cache = new BoundedCache<string, string>(10, ({ length }) => length);
    cache.set("a", "12345678").set("a", "1").set("b", "12345678");
    expect(cache.size).toBe(2);
    expect([cache.delete("b"), cache.delete("b")]).toEqual([true, false]);
    expect(cache.set("c", "12345678").size).toBe(2);
  });
});

describe("given any sets and deletions", () => {
  it("then the cache stays below its limit, and keeps the newest entries with their last values", () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 30 }),
      value: fc.integer({ min: 1, max: 9 }),
      isSet: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        fc.array(step, { maxLength: 200 }),
        (max, isWeighed, steps) => {
          const weightOf = (value: number) => (isWeighed ? value : 1);
          const cache = new BoundedCache<number, number>(max, weightOf);
          const all = new Map<number, number>();
          for (const { key, value, isSet } of steps) {
            all.delete(key);
            if (isSet) all.set(key, value);
            if (isSet) cache.set(key, value);
            else cache.delete(key);
            const weight = [...cache.values()].reduce((sum, each) => sum + weightOf(each), 0);
            expect(weight <= max || cache.size === 1).toBe(true);
            // The cache holds the newest entries of an unbounded map, without gaps.
            expect([...cache]).toEqual([...all].slice(all.size - cache.size));
          }
        },
      ),
      propertyRuns(100),
    );
  });
});
