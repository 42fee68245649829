import { SimulatedCluster } from "./simulated-cluster.ts";
import type { Version } from "./simulated-process.ts";

export interface Idle {
  /** Per second, of all processes together, by kind. */
  readonly messages: Readonly<Record<string, number>>;
  /** Per second, of all processes together, by kind: writes, reads and updates of buckets. */
  readonly bytes: Readonly<Record<string, number>>;
  /** Messages per second during the first two leases, while all processes join at the same time. */
  readonly whileJoining: Readonly<Record<string, number>>;
  /** Partitions that are not read by exactly one process. */
  readonly misread: number;
}

/** All processes join within a tenth of a second; then nothing changes, and no message is published. */
export const measureIdle = async (processes: number, partitions: number, version: Version): Promise<Idle> => {
  const cluster = new SimulatedCluster({ seed: 1, partitions, leaseMs: LEASE_MS, messagesPerSecond: 1 });
  for (let n = 0; n < processes; n++) {
    cluster.join(version);
    await cluster.pass(100 / processes);
  }
  const whileJoining = await cluster.trafficOf(2 * LEASE_MS);
  await cluster.pass(2 * LEASE_MS);
  const messages = await cluster.trafficOf(LEASE_MS);
  const bytes = await cluster.bytesOf(LEASE_MS);
  return { messages, bytes, whileJoining, misread: cluster.misread.length };
};

const LEASE_MS = 10_000;
