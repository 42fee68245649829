import { describe, expect, it } from "vitest";
import { SimulatedCluster } from "./simulated-cluster.ts";

const leaseMs = 10_000;

/** Two processes that share all partitions, with messages published throughout. */
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

const isPartitionWrite = (kind: string, subject?: string) =>
  kind === "write" && subject?.includes("_bus_partitions.") === true;

const takeovers = (cluster: SimulatedCluster): number =>
  cluster.logger.lines.items.filter(({ message }) => message === "unread partition taken over").length;

describe("given a living owner that writes heartbeats, but can neither read nor release its partitions", () => {
  it("when another process is assigned them, then it takes them after a lease, and the owner starts no further handler", async () => {
    const cluster = await twoProcesses();
    cluster.setFaults((process, kind, subject) => {
      // The old consumers stay, so that the owner can notice the takeover only by the record.
      if (kind === "delete a consumer") return "lost";
      const isHeartbeat = kind === "write" && !isPartitionWrite(kind, subject);
      return process === "p1" && !isHeartbeat && kind !== "update" ? "lost" : undefined;
    });
    cluster.join();
    await cluster.pass(3 * leaseMs);
    expect(takeovers(cluster)).toBeGreaterThan(0);
    cluster.setFaults((_, kind) => (kind === "delete a consumer" ? "lost" : undefined));
    await cluster.pass(2 * leaseMs);
    cluster.setFaults();
    await expectAllHandled(cluster);
  });

  it("when its requests still wait at the consumers, then no process takes its partitions", async () => {
    const cluster = await twoProcesses();
    cluster.stopPublishing();
    // p1 does not see the new process, and receives nothing from its consumers.
    const lost = ["heartbeat", "update", "stream info", "consumer info"];
    cluster.setFaults((process, kind) => (process === "p1" && lost.includes(kind) ? "lost" : undefined));
    cluster.join();
    await cluster.pass(4 * leaseMs);
    expect(takeovers(cluster)).toBe(0);
  });
});

describe("given a process that does not see the heartbeats of another", () => {
  it("when a lease has passed, then the server keeps the record of the other, because its revision has changed", async () => {
    const cluster = await twoProcesses();
    const lost = ["update", "stream info"];
    cluster.setFaults((process, kind) => (process === "p2" && lost.includes(kind) ? "lost" : undefined));
    await cluster.pass(3 * leaseMs);
    const messages = cluster.logger.lines.items.map(({ message }) => message);
    expect(messages).not.toContain("member declared dead by another process, rejoining under a new id");
    cluster.setFaults();
    await expectAllHandled(cluster);
  });
});

describe("given a process that was suspended for more than a lease", () => {
  it("when it renews its beat before the deletion of the beat is stored, then the deletion fails and the process goes on", async () => {
    const cluster = await twoProcesses();
    const late: string[] = [];
    cluster.setFaults((process, kind, subject) => {
      if (process !== "p2" || kind !== "write" || !subject?.includes("_bus_beats.p1-")) return undefined;
      late.push(subject);
      return "late";
    });
    const resume = cluster.pause("p1");
    while (late.length === 0) await cluster.pass(10);
    resume();
    await cluster.pass(2 * leaseMs);
    const messages = cluster.logger.lines.items.map(({ message }) => message);
    expect(messages).not.toContain("member declared dead by another process, rejoining under a new id");
    expect(messages).not.toContain("consumer process declared dead");
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});

describe("given a process without a partition, which need not rewrite its record", () => {
  it("when the record is deleted, then the process rejoins under a new id within half a lease", async () => {
    const cluster = new SimulatedCluster({ seed: 1, partitions: 1, leaseMs, messagesPerSecond: 20, keys: 50 });
    cluster.join();
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    const [owner] = cluster.owners;
    cluster.deleteRecordOf(owner === "p1" ? "p2" : "p1");
    await cluster.pass(leaseMs / 2);
    expect(cluster.logger.lines.items.map(({ message }) => message)).toContain(
      "member declared dead by another process, rejoining under a new id",
    );
    await expectAllHandled(cluster);
  });
});

describe("given an owner with messages waiting in all of its partitions", () => {
  it("when others join, then it hands over only partitions in which no handler runs", async () => {
    const shortMs = 3_000;
    const cluster = new SimulatedCluster({ seed: 1, partitions: 4, leaseMs: shortMs, messagesPerSecond: 120, keys: 5 });
    cluster.join();
    cluster.publishSteadily();
    for (let n = 0; n < 3; n++) {
      await cluster.pass(shortMs);
      cluster.join();
    }
    await cluster.pass(shortMs);
    expect(cluster.moves).toBeGreaterThan(2);
    await expectAllHandled(cluster);
  });
});

describe("given a process that others declared dead while it was suspended", () => {
  it("when it resumes and its watches are silent, then it starts no handler in partitions that others own", async () => {
    const cluster = await twoProcesses();
    cluster.setFaults((process, kind) => (process === "p1" && kind === "update" ? "lost" : undefined));
    const resume = cluster.pause("p1");
    await cluster.pass(1.5 * leaseMs);
    resume();
    await cluster.pass(leaseMs / 4);
    expect(cluster.logger.lines.items.map(({ message }) => message)).toContain(
      "member declared dead by another process, rejoining under a new id",
    );
    expect(cluster.violations).toEqual([]);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});

describe("given a process whose watches stopped without an error", () => {
  it("when others join and leave, then it notices them within two leases and releases their partitions", async () => {
    const cluster = await twoProcesses();
    let isSilent = false;
    cluster.setFaults((process, kind) => {
      if (process !== "p1" || kind !== "update" || isSilent) return undefined;
      return "lost";
    });
    cluster.join();
    await cluster.pass(leaseMs / 10);
    isSilent = true;
    await cluster.pass(2 * leaseMs);
    expect(cluster.logger.lines.items.map(({ message }) => message)).toContain(
      "watch missed updates, reading all entries",
    );
    expect(cluster.owners).toEqual(["p1", "p2", "p3"]);
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});

describe("given an owner whose write is stored long after it was sent", () => {
  it("when another process has taken the partition meanwhile, then the late write is refused", async () => {
    const shortMs = 3_000;
    const cluster = new SimulatedCluster({ seed: 1, partitions: 16, leaseMs: shortMs, messagesPerSecond: 20 });
    cluster.join();
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * shortMs);
    const late: string[] = [];
    cluster.setFaults((process, kind, subject) => {
      if (process !== "p1" || !isPartitionWrite(kind, subject)) return undefined;
      late.push(subject ?? "");
      return "late";
    });
    // p1 hands partitions over to p3, and crashes before the server has stored the write.
    cluster.join();
    await cluster.pass(100);
    expect(late.length).toBeGreaterThan(0);
    cluster.crash("p1");
    await cluster.pass(4 * shortMs);
    expect(cluster.violations).toEqual([]);
    expect(cluster.misread).toEqual([]);
  });
});

describe("given processes that all lose their connection for longer than a lease", () => {
  it("when they connect again, then none declares another dead", async () => {
    const cluster = await twoProcesses();
    cluster.disconnect(1.5 * leaseMs, "p1");
    cluster.disconnect(1.5 * leaseMs, "p2");
    await cluster.pass(3 * leaseMs);
    const messages = cluster.logger.lines.items.map(({ message }) => message);
    expect(messages).toContain("NATS connection lost");
    expect(messages).not.toContain("consumer process declared dead");
    expect(cluster.misread).toEqual([]);
    await expectAllHandled(cluster);
  });
});
