import type { FaultCourse } from "./play-faults.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";
import type { Version } from "./simulated-process.ts";
import type { Fault } from "./simulated-server.ts";

export const CHANGES = ["join", "leave", "crash", "disconnect", "pause", "raise"] as const;
export type Change = (typeof CHANGES)[number];

/** The fault of the n-th message between a process and the server after the change. */
export interface Step {
  readonly n: number;
  readonly fault: Fault;
}

/** The versions of the two processes and of one that joins. */
export type Versions = readonly [Version, Version, Version];

/** One change of the members with at most one fault. Also returns the kind of each message that the change led to. */
export const playStep = async (
  change: Change,
  step?: Step,
  versions: Versions = CURRENT,
): Promise<FaultCourse & { kinds: readonly string[] }> => {
  const cluster = new SimulatedCluster({ seed: 1, partitions: 4, leaseMs: LEASE_MS, messagesPerSecond: 4, keys: 8 });
  cluster.join(versions[0]);
  cluster.join(versions[1]);
  cluster.publishSteadily();
  await cluster.pass(2 * LEASE_MS);
  const kinds: string[] = [];
  cluster.setFaults((_, kind) => (kinds.push(kind) - 1 === step?.n ? step.fault : undefined));
  const resume = begin(cluster, change, versions[2]);
  await cluster.pass(2 * LEASE_MS);
  resume?.();
  await cluster.pass(LEASE_MS / 2);
  cluster.setFaults();
  await cluster.pass(2 * LEASE_MS);
  const { misread } = cluster;
  cluster.stopPublishing();
  await cluster.pass(LEASE_MS);
  const { published, handled, violations, partitions } = cluster;
  return { misread, violations, published, handled, partitions, kinds };
};

/** All single faults of a change: each message with each way in which it can fail. */
export const stepsOf = async (change: Change, versions?: Versions): Promise<Step[]> => {
  const { kinds } = await playStep(change, undefined, versions);
  return kinds.flatMap((kind, n) => (UNANSWERED.has(kind) ? LOST : FAULTS).map((fault) => ({ n, fault })));
};

const begin = (cluster: SimulatedCluster, change: Change, joining: Version): (() => void) | undefined => {
  if (change === "join") cluster.join(joining);
  else if (change === "leave") void cluster.leave();
  else if (change === "raise") cluster.raise(8, "p1");
  else if (change === "crash") cluster.crash("p1");
  else if (change === "disconnect") cluster.disconnect(LEASE_MS / 2, "p1");
  else return cluster.pause("p1");
  return undefined;
};

const CURRENT: Versions = ["current", "current", "current"];
const FAULTS: readonly Fault[] = ["lost", "unanswered", "late", "no-responder", "no-quorum"];
const LOST: readonly Fault[] = ["lost"];
/** Every fault loses these messages, because they have no answer. */
const UNANSWERED: ReadonlySet<string> = new Set(["ack", "delivery", "heartbeat", "pull", "update"]);
const LEASE_MS = 10_000;
