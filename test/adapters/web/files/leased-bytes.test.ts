import { afterEach, describe, expect, it } from "vitest";
import { LeasedBytes } from "../../../../adapters/web/files/leased-bytes.ts";
import { StorageBudget } from "../../../../adapters/web/files/storage-budget.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { type BackboneData, createBackboneData, openBackbone } from "../../../core/crashes/backbone-data.ts";
import { countingBackbone } from "../../../fakes/counting-backbone.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const PER_HOUR = 6_400_000;
const BLOCK = PER_HOUR / 64;

let data: BackboneData;
const backbones: Backbone[] = [];
afterEach(async () => {
  for (const backbone of backbones.splice(0)) await backbone.close();
  await data.dispose();
});

describe.each(["embedded", "nats"] as const)("given a storage limit that three gateways share, on %s", (kind) => {
  const clock = new ManualClock(Date.UTC(2026, 2, 10, 20));
  const gateways = async (count = 3) => {
    data = await createBackboneData[kind]();
    for (let n = 0; n < (kind === "nats" ? count : 1); n++) backbones.push(await openBackbone(data.options));
    return Array.from({ length: count }, (_, n) => {
      const { store } = backbones[n % backbones.length] as Backbone;
      return new LeasedBytes({ store, clock, scope: ["channel", "web"], perHour: PER_HOUR });
    });
  };
  /** The bytes that could be taken in pieces, at the same time on all gateways. */
  const fill = async (all: readonly LeasedBytes[], piece: number, share = 1): Promise<number> => {
    const taken = await Promise.all(
      all.map(async (leased) => {
        let sum = 0;
        while (sum <= PER_HOUR && (await leased.take(piece, share)) === 0) sum += piece;
        return sum;
      }),
    );
    return taken.reduce((sum, each) => sum + each, 0);
  };

  it("when all store as fast as they can, then together they store the limit, less at most a block each (R3)", {
    timeout: 60_000,
  }, async () => {
    const all = await gateways();
    const stored = await fill(all, 7_000);
    expect(stored).toBeLessThanOrEqual(PER_HOUR);
    expect(stored).toBeGreaterThan(PER_HOUR - 3 * (BLOCK + 7_000));
    expect(await all[0]?.take(7_000, 1)).toBe(3_600_000);
    clock.advance(3_600_000);
    expect(await all[0]?.take(7_000, 1)).toBe(0);
  });

  it("when files have used their share, then messages are still stored (R3)", { timeout: 60_000 }, async () => {
    const all = await gateways();
    expect(await fill(all, 50_000, 0.75)).toBeLessThanOrEqual(PER_HOUR * 0.75);
    expect(await fill(all, 1_000)).toBeGreaterThan(PER_HOUR / 4 - 3 * BLOCK);
  });
});

describe("given the budget of a channel with a shared limit", () => {
  it("when a thousand small messages are stored, then a few writes lease their bytes, and a refund returns them (R3)", async () => {
    data = await createBackboneData.embedded();
    const opened = await openBackbone(data.options);
    backbones.push(opened);
    const { store, writes } = countingBackbone(opened);
    const clock = new ManualClock(Date.UTC(2026, 2, 10, 20));
    const leased = new LeasedBytes({ store, clock, scope: ["channel", "web"], perHour: PER_HOUR });
    const limits = { storedBytesPerVisitor: 1e9, storedBytesPerAddress: 1e9, storedBytes: 1e9 };
    const budget = new StorageBudget(limits, clock, [{ leased, scope: "for all visitors" }]);
    const request = { visitor: "ann", address: "192.0.2.1", bytes: 100, kind: "message" } as const;
    for (let n = 0; n < 1_000; n++) await budget.reserve(request);
    expect(writes).toEqual(["put web-stored-bytes", "put web-stored-bytes"]);
    const whole = { ...request, bytes: 3_000_000 };
    (await budget.reserve(whole))();
    (await budget.reserve(whole))();
    await budget.reserve(whole);
    await expect(budget.reserve(whole)).rejects.toThrow("the hourly storage limit for all visitors is reached");
  });
});
