import { seededRandom } from "./seeded-random.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";
import type { Fault } from "./simulated-server.ts";

export interface FaultCourse {
  /** Partitions that were not read by exactly one process two leases after the last fault. */
  readonly misread: readonly string[];
  /** Handlers that began in a process that did not own the partition, while another process ran one, or out of order. */
  readonly violations: readonly string[];
  readonly published: number;
  readonly handled: number;
  /** The number of partitions at the end. */
  readonly partitions: number;
}

const FAULTS: readonly Fault[] = ["lost", "unanswered", "late", "no-responder", "no-quorum"];

/**
 * One seeded course of faults: any request may fail in any way, while processes are suspended, crash, leave and join.
 * `mixed`: each process is of this version or of 0.2, as in a rolling upgrade. `raised`: the number of partitions is
 * raised once or twice.
 */
export const playFaults = async (seed: number, { mixed = false, raised = false } = {}): Promise<FaultCourse> => {
  const random = seededRandom(seed);
  const leaseMs = LEASE_MS;
  const cluster = new SimulatedCluster({ seed, partitions: 8, leaseMs, messagesPerSecond: 4, keys: 24 });
  const join = () => cluster.join(mixed && random() < 0.5 ? "0.2" : "current");
  const processes = 2 + Math.floor(3 * random());
  for (let n = 0; n < processes; n++) join();
  cluster.publishSteadily();
  await cluster.pass(2 * leaseMs);

  const resumes: (() => void)[] = [];
  for (let n = 0; n < 1 + Math.floor(3 * random()); n++) {
    const share = random() ** 2;
    const kinds = new Map<string, boolean>();
    const isAffected = (kind: string) => {
      if (!kinds.has(kind)) kinds.set(kind, random() < 0.7);
      return kinds.get(kind);
    };
    const fault = () => FAULTS[Math.floor(FAULTS.length * random())];
    // A watch that has lost an update stays silent, so this fault is rare: otherwise no watch would work for long.
    cluster.setFaults((_, kind) => {
      const chance = RARE.has(kind) ? share / 100 : share;
      return isAffected(kind) && random() < chance ? fault() : undefined;
    });
    for (let step = 0; step < 4; step++) {
      if (raised && random() < 0.4) cluster.raise(cluster.partitions * (random() < 0.7 ? 2 : 4));
      await cluster.pass(leaseMs * random());
      const event = random();
      if (event < 0.3) resumes.push(cluster.pause());
      else if (event < 0.5) resumes.shift()?.();
      else if (event < 0.6 && cluster.living > 1) cluster.crash();
      else if (event < 0.7 && cluster.living > 1) void cluster.leave();
      else if (event < 0.8) join();
      else if (event < 0.9) cluster.disconnect(leaseMs * random() ** 2);
    }
    if (random() < 0.5) cluster.setFaults();
    await cluster.pass(leaseMs * random());
  }
  // Without a process of this version nothing could read a split partition.
  if (mixed && raised) cluster.join();
  for (const resume of resumes) resume();
  cluster.setFaults();
  await cluster.pass(2 * leaseMs);
  const { misread } = cluster;
  cluster.stopPublishing();
  await cluster.pass(leaseMs);
  const { published, handled, violations, partitions } = cluster;
  return { misread, violations, published, handled, partitions };
};

/** Messages that the server sends without a request. */
const RARE: ReadonlySet<string> = new Set(["update", "delivery", "heartbeat"]);

const LEASE_MS = 10_000;
