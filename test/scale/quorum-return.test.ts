import { describe, expect, it } from "vitest";
import { SimulatedCluster } from "./simulated-cluster.ts";
import type { Fault } from "./simulated-server.ts";

const leaseMs = 10_000;

/** Two processes; all requests fail in this way for a time, then none. Messages are published throughout. */
const play = async (fault: Fault, awayMs: number) => {
  const cluster = new SimulatedCluster({ seed: awayMs, partitions: 32, leaseMs, messagesPerSecond: 20 });
  cluster.join();
  cluster.join();
  cluster.publishSteadily();
  await cluster.pass(2 * leaseMs);
  // Without a quorum no consumer delivers, so no delivery can be lost.
  cluster.setFaults((_, kind) => (kind === "delivery" ? undefined : fault));
  await cluster.pass(awayMs);
  const [handled, moves] = [cluster.handled, cluster.moves];
  cluster.setFaults();
  let firstAfterMs = 0;
  for (; cluster.handled === handled && firstAfterMs < 60_000; firstAfterMs += 100) await cluster.pass(100);
  let allAfterMs = firstAfterMs;
  for (; cluster.handled < cluster.published - UNDER_WAY && allAfterMs < 60_000; allAfterMs += 100) {
    await cluster.pass(100);
  }
  await cluster.pass(2 * leaseMs);
  const dead = cluster.logger.lines.items.filter(({ message }) => /declared dead/.test(message)).length;
  return { firstAfterMs, allAfterMs, dead, moves: cluster.moves - moves, misread: cluster.misread };
};

/** Messages published so recently that they may still be unhandled; 20 are published per second. */
const UNDER_WAY = 5;

const faults: readonly Fault[] = ["no-quorum", "no-responder", "lost", "unanswered", "late"];

describe("given two processes on a cluster that has no quorum for a while (F35)", () => {
  it.each(faults.flatMap((fault) => [8_000, 11_200, 15_000, 20_800].map((awayMs) => ({ fault, awayMs }))))(
    "when each request was $fault for $awayMs ms and the quorum returns, then no process is declared dead and the backlog is handled within 5 s",
    async ({ fault, awayMs }) => {
      const { firstAfterMs, allAfterMs, ...rest } = await play(fault, awayMs);
      expect(rest).toEqual({ dead: 0, moves: 0, misread: [] });
      expect(firstAfterMs).toBeLessThanOrEqual(4_000);
      expect(allAfterMs).toBeLessThanOrEqual(5_000);
    },
  );

  it("when for more than a lease only one process can write, and its lookups fail, then no process is declared dead", async () => {
    const cluster = new SimulatedCluster({ seed: 1, partitions: 32, leaseMs, messagesPerSecond: 20 });
    cluster.join();
    cluster.join();
    cluster.publishSteadily();
    await cluster.pass(2 * leaseMs);
    cluster.setFaults(() => "lost");
    await cluster.pass(1.5 * leaseMs);
    cluster.setFaults((process, kind) => {
      if (process === "p1") return "lost";
      return kind === "write" ? undefined : "no-quorum";
    });
    await cluster.pass(1.3 * leaseMs);
    cluster.setFaults();
    await cluster.pass(2 * leaseMs);
    const lines = cluster.logger.lines.items.map(({ message }) => message);
    expect(lines.filter((line) => /declared dead/.test(line))).toEqual([]);
    expect(cluster.misread).toEqual([]);
  });
});
