import { describe, expect, it } from "vitest";
import { SimulatedCluster } from "./simulated-cluster.ts";

const leaseMs = 10_000;

/** Two processes that share all partitions, and messages that keep coming. */
const twoProcesses = async () => {
  const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs, messagesPerSecond: 20, keys: 50 });
  cluster.join();
  cluster.join();
  cluster.publishSteadily();
  await cluster.pass(2 * leaseMs);
  expect(cluster.misread).toEqual([]);
  return cluster;
};

const expectAllHandled = async (cluster: SimulatedCluster) => {
  cluster.stopPublishing();
  await cluster.pass(leaseMs);
  expect(cluster.handled).toBe(cluster.published);
  expect(cluster.violations).toEqual([]);
};

describe("given an owner that lives and renews its lease, but whose pull requests reach no consumer", () => {
  it("when another process is assigned its partitions, then that process takes them after a lease, and fences it", async () => {
    const cluster = await twoProcesses();
    // p1 can neither read nor release: it only writes heartbeats, which report that it does not read.
    cluster.setFaults((process, kind, subject) => {
      const isHeartbeat = kind === "write" && subject?.includes("_bus_members.");
      return process === "p1" && !isHeartbeat && kind !== "update" ? "lost" : undefined;
    });
    cluster.join();
    await cluster.pass(5 * leaseMs);
    const takenOver = cluster.logger.lines.items.filter(({ message }) => message === "unread partition taken over");
    expect(takenOver.length).toBeGreaterThan(0);
    expect(cluster.violations).toEqual([]);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});

describe("given a process whose watches have gone silent without an error", () => {
  it("when others join and leave, then it learns of them within two leases and gives up what is theirs", async () => {
    const cluster = await twoProcesses();
    let isSilent = false;
    cluster.setFaults((process, kind) => {
      if (process !== "p1" || kind !== "update" || isSilent) return undefined;
      return "lost";
    });
    await cluster.pass(leaseMs);
    isSilent = true;
    cluster.join();
    await cluster.pass(2 * leaseMs);
    expect(cluster.logger.lines.items.map(({ message }) => message)).toContain(
      "watch missed updates, reading all entries",
    );
    expect(cluster.owners).toEqual(["p1", "p2", "p3"]);
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});
