import { describe, expect, it } from "vitest";
import { StorageBudget, type StorageRequest } from "../../../../adapters/web/files/storage-budget.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";

const MB = 1_000_000;
const MINUTE_MS = 60_000;
const limits = { storedBytesPerVisitor: 12 * MB, storedBytesPerAddress: 24 * MB, storedBytes: 48 * MB };

/** Files of 3 MB are 4 MB in the store. */
const file = (visitor: string, address: string): StorageRequest => ({ visitor, address, bytes: 3 * MB, kind: "file" });
const message = (visitor: string, address: string): StorageRequest => ({
  visitor,
  address,
  bytes: MB,
  kind: "message",
});

const budgetAt = () => {
  let now = 0;
  const budget = new StorageBudget(limits, { ...systemClock, monotonic: () => now });
  const fits = (storing: StorageRequest, times: number): number => {
    for (let count = 0; count < times; count++) {
      try {
        budget.take(storing);
      } catch {
        return count;
      }
    }
    return times;
  };
  return { budget, fits, pass: (ms: number) => (now += ms) };
};

describe("given a budget of bytes for an hour", () => {
  it("when a visitor stores more, then files are refused at three quarters, and messages at the full budget (R3)", () => {
    const { fits } = budgetAt();
    expect(fits(file("ann", "192.0.2.1"), 10)).toBe(2);
    expect(fits(message("ann", "192.0.2.1"), 10)).toBe(2);
    expect(fits(message("bob", "192.0.2.2"), 10)).toBe(6);
  });

  it("when many visitors come from one address, then they share its budget, by its network for IPv6", () => {
    for (const address of ["192.0.2.1", "2001:db8:1:2::1"]) {
      const { fits } = budgetAt();
      const counts = ["a", "b", "c", "d"].map((visitor) => fits(file(visitor, address), 10));
      expect(counts).toEqual([2, 2, 0, 0]);
    }
    const { fits } = budgetAt();
    expect([1, 2, 3].map((n) => fits(file(`v${n}`, `2001:db8:1:2::${n}`), 10))).toEqual([2, 2, 0]);
  });

  it("when visitors come from many addresses, then the channel's budget limits them", () => {
    const { fits } = budgetAt();
    const counts = Array.from({ length: 8 }, (_, n) => fits(file(`v${n}`, `192.0.2.${n}`), 10));
    expect(counts.reduce((sum, count) => sum + count)).toBe(9);
    expect(fits(message("late", "198.51.100.1"), 10)).toBe(6);
  });

  it("when time passes, then it refills steadily", () => {
    const { fits, pass } = budgetAt();
    fits(file("ann", "192.0.2.1"), 10);
    pass(15 * MINUTE_MS);
    expect(fits(file("ann", "192.0.2.1"), 10)).toBe(1);
    pass(60 * MINUTE_MS);
    expect(fits(file("ann", "192.0.2.1"), 10)).toBe(2);
  });

  it("when the write fails, then the bytes are refunded", () => {
    const { budget, fits } = budgetAt();
    const giveBack = budget.take(file("ann", "192.0.2.1"));
    giveBack();
    expect(fits(file("ann", "192.0.2.1"), 10)).toBe(2);
  });

  it("then a refusal names the budget and when to try again", () => {
    const { budget, fits } = budgetAt();
    fits(file("ann", "192.0.2.1"), 10);
    expect(() => budget.take(file("ann", "192.0.2.1"))).toThrow(
      "the hourly storage limit per visitor is reached: try again in 15 minutes; messages without files are still accepted",
    );
    expect(() => budget.take({ ...file("bob", "192.0.2.2"), bytes: 9 * MB })).toThrow(
      "larger than the hourly storage limit per visitor",
    );
  });
});
