import { describe, expect, it } from "vitest";
import {
  canRaise,
  decodePartition,
  encodeLayout,
  encodePartition,
  layoutIn,
  PartitionLayout,
  partitionOf,
  subPartition,
} from "../../../../../core/backbone/nats/partitions/index.ts";
import {
  type PartitionRecord,
  splitTo,
  startedFrom,
  withoutEndedSplits,
} from "../../../../../core/backbone/nats/partitions/partition-record.ts";
import { PartitionRecord as Record02 } from "../../../../scale/version-0-2/partition-record.ts";

const record: PartitionRecord = {
  owner: "one",
  generation: 7,
  from: 10,
  doneTo: 40,
  open: [10, 12],
  suspectTo: 11,
  suspects: [12],
  oldest: 6,
};
const { owner: _, generation: __, oldest: ___, ...progress } = record;
const keys = Array.from({ length: 300 }, (_, n) => `key-${n}`);

describe("given a partition with open and suspect messages", () => {
  it("when it is split, then the new partitions start with its progress, suspects included", () => {
    const split = splitTo(record, [4, 8, 32]);
    expect(split).toEqual({ ...record, of: 32, splits: { 8: progress, 32: progress } });
    expect(startedFrom(split, 8, "two")).toEqual({ ...progress, owner: "two", generation: 1, oldest: 1, of: 8 });
    expect(splitTo(split, [4, 8, 32])).toBe(split);
    expect(splitTo(split, [4, 8])).toBe(split);
  });

  it("when it is not split to that number, then no new partition starts", () => {
    expect(startedFrom(record, 8, "two")).toBeUndefined();
    expect(startedFrom(splitTo(record, [4, 8]), 32, "two")).toBeUndefined();
    expect(startedFrom(undefined, 8, "two")).toBeUndefined();
  });

  it("when all new partitions of a split have records, then its progress is dropped, and the number stays", () => {
    const split = splitTo(record, [4, 8, 32]);
    expect(withoutEndedSplits(split, (of) => of === 8)).toEqual({ ...record, of: 32, splits: { 32: progress } });
    expect(withoutEndedSplits(split, () => true)).toEqual({ ...record, of: 32 });
  });

  it("when it is split, then version 0.2 cannot read its record; before, it can", () => {
    const read02 = (data: Uint8Array) => Record02.safeParse(JSON.parse(Buffer.from(data).toString()));
    expect(read02(encodePartition(record)).data).toEqual(record);
    const split = splitTo(record, [4, 8]);
    expect(read02(encodePartition(split)).success).toBe(false);
    expect(decodePartition(encodePartition(split))).toEqual(split);
    expect(decodePartition(encodePartition(record))).toEqual(record);
  });
});

describe("given a raised number of partitions", () => {
  it("then each key stays under its subject, and has the partition that its hash gives", () => {
    for (const key of keys) expect(subPartition(key, partitionOf(key, 4), 4, 32)).toBe(partitionOf(key, 32));
  });

  it("then a message on a subject that does not fit its key has exactly one partition of that subject", () => {
    for (const key of keys) {
      const found = subPartition(key, 3, 4, 32);
      expect(found % 4).toBe(3);
      expect(found).toBeLessThan(32);
    }
  });

  it("then each new partition has its parent in the number before", () => {
    const layout = new PartitionLayout([4, 8, 32]);
    expect([3, 5, 9, 31].map((partition) => layout.parentOf(partition))).toEqual([
      undefined,
      { partition: 1, of: 8 },
      { partition: 1, of: 32 },
      { partition: 7, of: 32 },
    ]);
    expect(layout.learn([4, 8])).toBe(false);
    expect(layout.current).toBe(32);
  });

  it("then the layout has no field that version 0.2 reads; before, it has", () => {
    const stored = (counts: readonly number[]) => JSON.parse(Buffer.from(encodeLayout({ counts })).toString());
    expect(stored([4])).toEqual({ partitions: 4 });
    expect(stored([4, 8])).toEqual({ counts: [4, 8] });
    expect(layoutIn({ data: encodeLayout({ counts: [4, 8], format: 4 }) })).toEqual({ counts: [4, 8], format: 4 });
  });

  it.each([
    [8, true],
    [12, true],
    [32, true],
    [64, false],
    [6, false],
    [4, false],
    [2, false],
  ])("when 4 are to become %i, then that is possible: %s", (to, isPossible) => {
    expect(canRaise([4], to)).toBe(isPossible);
  });
});
