import { SimulatedCluster } from "./simulated-cluster.ts";

export interface Scale {
  readonly seed: number;
  readonly processes: number;
  readonly partitions: number;
  readonly leaseMs: number;
  /** Processes that join, that leave, that crash, and that stand still for two leases: one after the other. */
  readonly ofEach: number;
  /** Processes that crash at one moment, while as many join. */
  readonly atOnce: number;
  readonly messagesPerSecond: number;
}

/** Changes of owner that one process caused, and the fewest that spread its share. */
export interface Moves {
  readonly counted: number;
  readonly fewest: number;
}

export interface Observed {
  readonly published: number;
  readonly handled: number;
  readonly handledAgain: number;
  /** Handlers that began in a process that did not own the partition, beside a run in another, or out of order. */
  readonly violations: readonly string[];
  /** Partitions that nobody who lives owns in the end. */
  readonly orphans: number;
  readonly moves: Readonly<Record<Change, Moves>>;
  /** The longest that a partition of a crashed process waited for its next owner. */
  readonly longestTakeOverMs: number;
  /** What the server was asked, and sent by itself, in a second in which nothing changed. */
  readonly atRest: Readonly<Record<string, number>>;
  /** The same, of the seconds after many processes came and went at once. */
  readonly inTurmoil: Readonly<Record<string, number>>;
}

type Change = "join" | "leave" | "crash" | "pause";

/** Plays one seeded course of events, in simulated time, and tells what was seen. */
export const simulate = async (scale: Scale): Promise<Observed> => {
  const { processes, partitions, leaseMs, ofEach, atOnce } = scale;
  const cluster = new SimulatedCluster(scale);
  const moves = { join: noMoves(), leave: noMoves(), crash: noMoves(), pause: noMoves() };
  let longestTakeOverMs = 0;

  const causing = async (change: Change, fewest: number, act: () => Promise<void>): Promise<void> => {
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
    await causing("join", Math.floor(partitions / (cluster.living + 1)), async () => {
      cluster.join();
      await cluster.pass(SETTLED_AFTER_MS);
    });
    await causing("leave", Math.floor(partitions / cluster.living), async () => {
      await cluster.leave();
      await cluster.pass(SETTLED_AFTER_MS);
    });
    await causing("crash", Math.floor(partitions / cluster.living), async () => {
      const crashed = cluster.crash();
      await cluster.pass(leaseMs + SETTLED_AFTER_MS);
      longestTakeOverMs = Math.max(longestTakeOverMs, cluster.takenOverAfter(crashed));
    });
    // Away, and back again.
    await causing("pause", 2 * Math.floor(partitions / cluster.living), async () => {
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
  const inTurmoil = await cluster.trafficOf(leaseMs + SETTLED_AFTER_MS);
  cluster.stopPublishing();
  await cluster.pass(leaseMs + SETTLED_AFTER_MS);
  const { published, handled, handledAgain, violations, orphans } = cluster;
  return { published, handled, handledAgain, violations, orphans, moves, longestTakeOverMs, atRest, inTurmoil };
};

const noMoves = (): Moves => ({ counted: 0, fewest: 0 });

const START_EVERY_MS = 20;
const SETTLED_AFTER_MS = 3_000;
