import { describe, expect, it } from "vitest";
import { OldVersions } from "../../../../../../core/backbone/nats/partitions/members/old-versions.ts";
import { ManualClock } from "../../../../../fakes/manual-clock.ts";

const LEASE_MS = 10_000;
const SHARE = 0.9;

const watched = () => {
  const clock = new ManualClock();
  let completeAt = Number.NEGATIVE_INFINITY;
  const versions = new OldVersions({ clock, leaseMs: LEASE_MS, completeAt: () => completeAt });
  versions.recordStored(clock.monotonic());
  return { clock, versions, checkList: () => (completeAt = clock.monotonic()) };
};

describe("given a process that has stored its record", () => {
  it("when it neither rewrites the record nor checks the list, then old versions may see it as dead after nine tenths of a lease", () => {
    const { clock, versions } = watched();
    clock.advance(8_900);
    expect(versions.seeAlive(SHARE)).toBe(true);
    clock.advance(200);
    expect(versions.seeAlive(SHARE)).toBe(false);
  });

  it("when the complete list has no old version again and again, then the record needs no rewriting", () => {
    const { clock, versions, checkList } = watched();
    for (let n = 0; n < 10; n++) {
      clock.advance(4_000);
      checkList();
      expect(versions.seeAlive(SHARE)).toBe(true);
    }
  });

  it("when an old version is a member, then only the rewritten record counts", () => {
    const { clock, versions, checkList } = watched();
    versions.seen("old", true);
    clock.advance(9_100);
    checkList();
    expect(versions.seeAlive(SHARE)).toBe(false);
    versions.recordStored(clock.monotonic());
    expect(versions.seeAlive(SHARE)).toBe(true);
  });

  it("when the old version has left, then a check of the list before that does not count", () => {
    const { clock, versions, checkList } = watched();
    versions.seen("old", true);
    clock.advance(5_000);
    checkList();
    clock.advance(100);
    versions.seen("old", false);
    clock.advance(4_000);
    expect(versions.seeAlive(SHARE)).toBe(false);
  });

  it("when the last proof has expired, then a check of the list does not renew it", () => {
    const { clock, versions, checkList } = watched();
    clock.advance(9_100);
    checkList();
    expect(versions.seeAlive(SHARE)).toBe(false);
  });
});
