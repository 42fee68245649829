import { describe, expect, it } from "vitest";
import { OwnBeats } from "../../../../../../core/backbone/nats/partitions/members/own-beats.ts";

const LEASE_MS = 10_000;

describe("given own beats that the server confirmed", () => {
  it("when another beat is older than one of them, then it expires a lease after that one was confirmed", () => {
    const own = new OwnBeats(LEASE_MS);
    own.confirm(10, 1_000);
    own.confirm(20, 4_000);
    expect(own.expiryOf(5)).toBe(1_000 + LEASE_MS);
    expect(own.expiryOf(15)).toBe(4_000 + LEASE_MS);
    expect(own.expiryOf(25)).toBeUndefined();
  });

  it("when beats are older than a lease, then only the newest of them counts", () => {
    const own = new OwnBeats(LEASE_MS);
    for (const [revision, at] of [
      [10, 0],
      [20, 3_000],
      [30, 13_000],
    ] as const)
      own.confirm(revision, at);
    expect(own.expiryOf(5)).toBe(3_000 + LEASE_MS);
  });

  it("when others could not renew meanwhile, then no earlier beat counts", () => {
    const own = new OwnBeats(LEASE_MS);
    own.confirm(10, 0);
    own.restart();
    expect(own.isEmpty).toBe(true);
    own.confirm(20, 20_000);
    expect(own.expiryOf(5)).toBe(20_000 + LEASE_MS);
  });

  it("when the bucket was replaced and its revisions begin again, then no earlier beat counts", () => {
    const own = new OwnBeats(LEASE_MS);
    own.confirm(5_000, 0);
    own.confirm(2, 11_000);
    expect(own.expiryOf(1)).toBe(11_000 + LEASE_MS);
    expect(own.expiryOf(3)).toBeUndefined();
  });
});
