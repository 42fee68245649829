import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Clock } from "../../../core/contract/ports/clock.ts";
import { collection, keyOf, type Store } from "../../../core/contract/ports/store.ts";
import { ChannelLease } from "../../../gateway/relay/channel-lease.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { openRelayRig, type RelayRig } from "./relay-rig.ts";

const LEASE_MS = 9_000;
const barrier = keyOf(collection("barriers", z.number()), "turn");
let rig: RelayRig;
beforeEach(async () => {
  rig = await openRelayRig();
});
afterEach(() => rig.close());

const leaseOf = (instance: string, store: Store = rig.backbone.store, clock: Clock = rig.clock) => {
  const changes = new Recorder<boolean>();
  const { logger } = rig;
  const lease = new ChannelLease({
    store,
    clock,
    logger,
    tenant: "default",
    channel: "paper",
    instance,
    leaseMs: LEASE_MS,
    changed: async (held) => changes.add(held),
  });
  return { lease, changes };
};

/** Advances time in small steps, and lets the store answer in each. */
const pass = async (ms: number) => {
  for (let passed = 0; passed < ms; passed += 500) {
    rig.clock.advance(500);
    // A check of the lease is a read and a write; two writes of the test complete after both.
    for (const turn of [1, 2, 3]) await rig.backbone.store.put(barrier, turn);
  }
};

describe("given a channel that allows one connection", () => {
  it("when two gateways start, then only the first holds the lease, as long as it renews it", async () => {
    const [first, second] = [leaseOf("a"), leaseOf("b")];
    await first.lease.start();
    await second.lease.start();
    await pass(5 * LEASE_MS);
    expect([first.lease.held, second.lease.held]).toEqual([true, false]);
    expect(first.changes.items).toEqual([true]);
    expect(second.changes.items).toEqual([]);
    await Promise.all([first.lease.stop(), second.lease.stop()]);
  });

  it("when the holder stops, then the other gateway takes the lease soon", async () => {
    const [first, second] = [leaseOf("a"), leaseOf("b")];
    await first.lease.start();
    await second.lease.start();
    await first.lease.stop();
    expect(first.changes.items).toEqual([true, false]);
    await pass(LEASE_MS / 6);
    expect(second.lease.held).toBe(true);
    await second.lease.stop();
  });

  it("when the holder crashes, then the other gateway takes the lease after its expiry, not earlier", async () => {
    const dead = leaseOf("a", untilDeath());
    const second = leaseOf("b");
    await dead.lease.start();
    await second.lease.start();
    alive = false;
    await pass(LEASE_MS / 2);
    expect(second.lease.held).toBe(false);
    await pass(LEASE_MS / 2);
    expect(second.lease.held).toBe(true);
    await Promise.all([dead.lease.stop(), second.lease.stop()]);
  });

  it("when the holder cannot renew, then its lease ends before another gateway can take it", async () => {
    const cutOff = leaseOf("a", untilDeath());
    const second = leaseOf("b");
    await cutOff.lease.start();
    await second.lease.start();
    alive = false;
    for (let passed = 0; passed < 2 * LEASE_MS; passed += 500) {
      await pass(500);
      expect(cutOff.lease.held && second.lease.held).toBe(false);
    }
    expect(cutOff.changes.items).toEqual([true, false]);
    expect(second.lease.held).toBe(true);
    await Promise.all([cutOff.lease.stop(), second.lease.stop()]);
  });

  it("when a stalled holder continues, then it does not take the lease from its successor", async () => {
    const stalled = leaseOf("a", untilDeath());
    const second = leaseOf("b");
    await stalled.lease.start();
    await second.lease.start();
    alive = false;
    await pass(LEASE_MS);
    alive = true;
    await pass(2 * LEASE_MS);
    expect([stalled.lease.held, second.lease.held]).toEqual([false, true]);
    await stalled.lease.stop();
    await pass(LEASE_MS);
    expect(second.lease.held).toBe(true);
    await second.lease.stop();
  });

  it("when a stalled holder continues and stops, then its successor keeps the lease", async () => {
    const stalled = leaseOf("a", rig.backbone.store, new ManualClock());
    const second = leaseOf("b");
    const third = leaseOf("c");
    for (const { lease } of [stalled, second, third]) await lease.start();
    await pass(LEASE_MS);
    await stalled.lease.stop();
    await pass(LEASE_MS / 2);
    expect([second.lease.held, third.lease.held]).toEqual([true, false]);
    await Promise.all([second.lease.stop(), third.lease.stop()]);
  });

  it("when a gateway restarts with the same name, then it takes the lease without waiting", async () => {
    const before = leaseOf("a", untilDeath());
    await before.lease.start();
    alive = false;
    const after = leaseOf("a");
    await after.lease.start();
    expect(after.lease.held).toBe(true);
    await Promise.all([before.lease.stop(), after.lease.stop()]);
  });
});

let alive = true;
beforeEach(() => {
  alive = true;
});

/** A store that can lose its connection. */
const untilDeath = (): Store => {
  const { store } = rig.backbone;
  const whileAlive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (alive) return ask();
    throw new AppError("unavailable", "the store is away");
  };
  return {
    get: (key) => whileAlive(() => store.get(key)),
    put: (key, value, options) => whileAlive(() => store.put(key, value, options)),
    delete: (key, options) => whileAlive(() => store.delete(key, options)),
    list: (prefix) => store.list(prefix),
  };
};
