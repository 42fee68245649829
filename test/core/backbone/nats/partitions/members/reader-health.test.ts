import { describe, expect, it } from "vitest";
import { groupName } from "../../../../../../core/backbone/nats/nats-names.ts";
import {
  encodePartitions,
  hasPartition,
} from "../../../../../../core/backbone/nats/partitions/members/member-record.ts";
import { ReaderHealth } from "../../../../../../core/backbone/nats/partitions/members/reader-health.ts";
import { ManualClock } from "../../../../../fakes/manual-clock.ts";
import { numbers } from "../../rig/samples.ts";

const subject = numbers("asked");
const GROUP = groupName("intake", subject);
const GRACE_MS = 20_000;
const PARTITIONS = 6;

const watched = (owner?: string) => {
  const clock = new ManualClock();
  const health = new ReaderHealth([{ subject, durable: "intake", label: "messages" }], {
    clock,
    partitions: () => PARTITIONS,
    graceMs: GRACE_MS,
    ownerOf: () => owner,
  });
  let beat = 0;
  /** A heartbeat of one process every 3 seconds, for this long. */
  const pass = (seconds: number, ...members: (readonly number[])[]) => {
    for (let n = 0; n < seconds; n += 3) {
      for (const [index, partitions] of members.entries()) {
        const reading = ["", encodePartitions(partitions, PARTITIONS)];
        health.reported(`m${index}`, { groups: ["another", GROUP], beat: ++beat, reading });
      }
      clock.advance(3_000);
    }
  };
  return { clock, health, pass };
};

describe("given required readers", () => {
  it("when the processes together read all partitions, then there is no problem", () => {
    const { health, pass } = watched();
    pass(120, [0, 1, 2], [3, 4, 5]);
    expect(health.problem).toBeUndefined();
  });

  it("when one partition moves and is unread for less than the grace time, then there is no problem", () => {
    const { health, pass } = watched();
    pass(60, [0, 1, 2], [3, 4, 5]);
    pass(15, [0, 1, 2], [3, 4]);
    pass(60, [0, 1, 2, 5], [3, 4]);
    expect(health.problem).toBeUndefined();
  });

  it("when a living process owns a partition that it does not read, then that is a problem after the grace time", () => {
    const { health, pass } = watched();
    pass(60, [0, 1, 2], [3, 4, 5]);
    pass(24, [0, 1, 2], [3, 4]);
    expect(health.problem).toBe("no process reads messages (1 of 6 partitions); check that a core process runs");
    pass(3, [0, 1, 2], [3, 4, 5]);
    expect(health.problem).toBeUndefined();
  });

  it("when no process ever reports, then that is a problem after the grace time, not at once", () => {
    const { clock, health } = watched();
    clock.advance(GRACE_MS);
    expect(health.problem).toBeUndefined();
    clock.advance(1_000);
    expect(health.problem).toContain("6 of 6 partitions");
    health.restart();
    expect(health.problem).toBeUndefined();
  });

  it("when a record does not change for hours, then its partitions still count as read", () => {
    const { clock, health, pass } = watched();
    pass(3, [0, 1, 2], [3, 4, 5]);
    clock.advance(36_000_000);
    expect(health.problem).toBeUndefined();
  });

  it("when the record of a reader is deleted, then its partitions are a problem after the grace time", () => {
    const { clock, health, pass } = watched();
    pass(3, [0, 1, 2], [3, 4, 5]);
    clock.advance(60_000);
    health.reported("m1", undefined);
    clock.advance(GRACE_MS);
    expect(health.problem).toBeUndefined();
    clock.advance(1);
    expect(health.problem).toContain("3 of 6 partitions");
  });

  it("when a process of an older version does not report what it reads, then the partition records count", () => {
    const { clock, health } = watched("old");
    for (let n = 0; n < 20; n++) {
      clock.advance(3_000);
      health.reported("old", { groups: [GROUP], beat: n });
    }
    expect(health.problem).toBeUndefined();
    clock.advance(GRACE_MS + 1);
    health.reported("other", { groups: [GROUP], beat: 1 });
    expect(health.problem).toContain("6 of 6 partitions");
  });
});

describe("given encoded partitions", () => {
  it.each([1, 4, 5, 32, 1_024])("when there are %i, then each one decodes, and no other", (count) => {
    const some = Array.from({ length: count }, (_, partition) => partition).filter((partition) => partition % 3 === 0);
    const encoded = encodePartitions(some, count);
    const found = Array.from({ length: count }, (_, partition) => partition).filter((p) => hasPartition(encoded, p));
    expect(found).toEqual(some);
    expect(encoded).toHaveLength(Math.ceil(count / 4));
  });
});
