import { describe, expect, it } from "vitest";
import { playFaults } from "./play-faults.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";

const leaseMs = 10_000;
const busy = { seed: 1, partitions: 8, leaseMs, messagesPerSecond: 100, keys: 50 };

const expectAllHandled = async (cluster: SimulatedCluster) => {
  expect(cluster.misread).toEqual([]);
  cluster.stopPublishing();
  await cluster.pass(leaseMs);
  expect(cluster.handled).toBe(cluster.published);
  expect(cluster.violations).toEqual([]);
};

describe("given processes that share partitions on a simulated server, with several waiting messages of each key", () => {
  it("when the number of partitions is raised twice, then each message is handled once in order, and others get a share", async () => {
    const cluster = new SimulatedCluster({ ...busy, messagesPerSecond: 800 });
    for (let n = 0; n < 12; n++) cluster.join();
    cluster.publishSteadily();
    await cluster.pass(leaseMs / 4);
    expect(cluster.owners).toHaveLength(8);
    cluster.raise(16, "p3");
    await cluster.pass(leaseMs / 4);
    expect([cluster.partitions, cluster.split]).toEqual([16, 16]);
    expect(cluster.owners).toHaveLength(12);
    cluster.raise(64, "p5");
    await cluster.pass(leaseMs / 4);
    expect([cluster.partitions, cluster.split]).toEqual([64, 64]);
    expect(cluster.handledAgain).toBe(0);
    await expectAllHandled(cluster);
    expect(cluster.handledAgain).toBe(0);
  });

  it("when the raise reaches a process late, because its watch is silent, then its partitions stay whole until it knows", async () => {
    const cluster = new SimulatedCluster(busy);
    for (let n = 0; n < 3; n++) cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    cluster.setFaults((process, kind) => (process === "p1" && kind === "update" ? "lost" : undefined));
    cluster.raise(16, "p2");
    await cluster.pass(leaseMs / 4);
    expect(cluster.split).toBeGreaterThan(0);
    expect(cluster.split).toBeLessThan(16);
    await cluster.pass(2 * leaseMs);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    expect(cluster.split).toBe(16);
    await expectAllHandled(cluster);
  });

  it("when a process of version 0.2 runs, then the raise waits until it has left", async () => {
    const cluster = new SimulatedCluster(busy);
    cluster.join("0.2");
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    cluster.raise(16, "p2");
    await cluster.pass(4 * leaseMs);
    expect(cluster.partitions).toBe(8);
    await cluster.leave("p1");
    await cluster.pass(4 * leaseMs);
    expect([cluster.partitions, cluster.split]).toEqual([16, 16]);
    expect(cluster.handledAgain).toBe(0);
    await expectAllHandled(cluster);
  });

  it("when a process of version 0.2 joins all the same, then it cannot take a split partition, and the others read all of them", async () => {
    const cluster = new SimulatedCluster(busy);
    cluster.join();
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    cluster.raise(16, "p2");
    await cluster.pass(leaseMs);
    cluster.join("0.2");
    await cluster.pass(2 * leaseMs);
    cluster.crash("p1");
    await cluster.pass(3 * leaseMs);
    expect(cluster.owners).toEqual(["p2"]);
    cluster.crash("p2");
    await cluster.pass(3 * leaseMs);
    expect(cluster.owners).toEqual(["p2"]);
    cluster.join();
    await cluster.pass(3 * leaseMs);
    expect(cluster.owners).toEqual(["p4"]);
    await expectAllHandled(cluster);
  });

  const many = Array.from({ length: process.env.MOORING_SOAK ? 1_000 : 0 }, (_, n) => n + 1_000);
  it.each([1, 2, 3, 4, 5, 6, ...many])(
    "when any request fails in any way while it is raised and processes join and leave (seed %i), then each partition is read by one process within two leases",
    async (seed) => {
      for (const mixed of [false, true]) {
        const { misread, violations, handled, published } = await playFaults(seed, { raised: true, mixed });
        expect(misread).toEqual([]);
        expect(violations).toEqual([]);
        expect(handled).toBe(published);
      }
    },
  );
});
