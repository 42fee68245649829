import { SimulatedCluster } from "./simulated-cluster.ts";

export interface Scale {
  readonly seed: number;
  readonly processes: number;
  readonly partitions: number;
  readonly leaseMs: number;
  /** Number of joins, leaves, crashes and suspensions of two leases, one after the other. */
  readonly ofEach: number;
  /** Number of processes that crash at the same time, while as many join. */
  readonly atOnce: number;
  readonly messagesPerSecond: number;
}

/** Changes of owner that one process caused, and the minimum that redistributes its share. */
export interface Moves {
  readonly counted: number;
  readonly fewest: number;
}

export interface Observed {
  readonly published: number;
  readonly handled: number;
  readonly handledAgain: number;
  /** Handlers that began in a process that did not own the partition, while another process ran one, or out of order. */
  readonly violations: readonly string[];
  /** Partitions without a living owner at the end. */
  readonly orphans: number;
  readonly moves: Readonly<Record<Change, Moves>>;
  /** The longest time until a partition of a crashed process had its next owner. */
  readonly maxTakeOverMs: number;
  /** Requests to the server, and messages from it, per second without changes of the members. */
  readonly atRest: Readonly<Record<string, number>>;
  /** Requests and messages per second after many processes crashed and joined at the same time. */
  readonly duringChanges: Readonly<Record<string, number>>;
}

type Change = "join" | "leave" | "crash" | "pause";

/** Plays one seeded course of events in simulated time. */
export const simulate = async (scale: Scale): Promise<Observed> => {
  const { processes, partitions, leaseMs, ofEach, atOnce } = scale;
  const cluster = new SimulatedCluster(scale);
  const moves = { join: noMoves(), leave: noMoves(), crash: noMoves(), pause: noMoves() };
  let maxTakeOverMs = 0;

  const countMoves = async (change: Change, fewest: number, act: () => Promise<void>): Promise<void> => {
    const before = cluster.moves;
    await act();
    moves[change] = { counted: moves[change].counted + cluster.moves - before, fewest: moves[change].fewest + fewest };
  };

  for (let n = 0; n < processes; n++) {
    cluster.join();
    await cluster.pass(START_EVERY_MS);
  }
  cluster.publishSteadily();
  await cluster.pass(2 * leaseMs);
  const atRest = await cluster.trafficOf(leaseMs);

  for (let n = 0; n < ofEach; n++) {
    await countMoves("join", Math.floor(partitions / (cluster.living + 1)), async () => {
      cluster.join();
      await cluster.pass(SETTLED_AFTER_MS);
    });
    await countMoves("leave", Math.floor(partitions / cluster.living), async () => {
      await cluster.leave();
      await cluster.pass(SETTLED_AFTER_MS);
    });
    await countMoves("crash", Math.floor(partitions / cluster.living), async () => {
      const crashed = cluster.crash();
      await cluster.pass(leaseMs + SETTLED_AFTER_MS);
      maxTakeOverMs = Math.max(maxTakeOverMs, cluster.takenOverAfter(crashed));
    });
    // The share of the process moves to others and back.
    await countMoves("pause", 2 * Math.floor(partitions / cluster.living), async () => {
      const resume = cluster.pause();
      await cluster.pass(2 * leaseMs);
      resume();
      await cluster.pass(SETTLED_AFTER_MS);
    });
  }

  for (let n = 0; n < atOnce; n++) {
    cluster.crash();
    cluster.join();
  }
  const duringChanges = await cluster.trafficOf(leaseMs + SETTLED_AFTER_MS);
  cluster.stopPublishing();
  await cluster.pass(leaseMs + SETTLED_AFTER_MS);
  const { published, handled, handledAgain, violations, orphans } = cluster;
  return { published, handled, handledAgain, violations, orphans, moves, maxTakeOverMs, atRest, duringChanges };
};

const noMoves = (): Moves => ({ counted: 0, fewest: 0 });

const START_EVERY_MS = 20;
const SETTLED_AFTER_MS = 3_000;
