/** One thing measured twice: by the product and by a floor that does the same durable work and nothing else. */
export interface Comparison {
  readonly name: string;
  /** What the numbers are: "per second" is better when larger, the others when smaller. */
  readonly unit: "per second" | "ms" | "kB";
  /** The same every time: once is enough, without warming up. */
  readonly steady?: boolean;
  /** So many times as many rounds. Of short ones, so that a disk that is slow for a second meets both sides alike. */
  readonly slices?: number;
  product(): Promise<number>;
  floor(): Promise<number>;
  /** CPU milliseconds that a side has used so far. Absent: both run in this process. */
  cpu?(side: Side): Promise<number>;
}

export type Side = "product" | "floor";

export interface Measured {
  readonly name: string;
  readonly unit: Comparison["unit"];
  readonly product: Spread;
  readonly floor: Spread;
  /** Product over floor, round by round, and of these the median: what slows both down in one round tells nothing. */
  readonly ratio: number;
  /** Product over floor, of the CPU time that the rounds took: steadier than the clock on a busy machine. */
  readonly cpuRatio: number;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Turn about, so that whatever else the machine does meets both alike; the first of several rounds only warms up. */
export const measure = async (comparison: Comparison, rounds: number): Promise<Measured> => {
  const product: number[] = [];
  const floor: number[] = [];
  const used = { product: 0, floor: 0 };
  const cpu = comparison.cpu ?? (async () => ownCpu());
  const last = rounds * (comparison.slices ?? 1);
  for (let round = comparison.steady ? last : 0; round <= last; round++) {
    const order = round % 2 === 0 ? (["product", "floor"] as const) : (["floor", "product"] as const);
    for (const side of order) {
      const before = await cpu(side);
      const value = await comparison[side]();
      if (round === 0) continue;
      (side === "product" ? product : floor).push(value);
      used[side] += (await cpu(side)) - before;
    }
  }
  const [ours, theirs] = [spreadOf(product), spreadOf(floor)];
  return {
    name: comparison.name,
    unit: comparison.unit,
    product: ours,
    floor: theirs,
    ratio: spreadOf(product.map((value, round) => value / (floor[round] ?? Number.NaN))).median,
    cpuRatio: used.product / used.floor,
  };
};

export const ownCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
  };
};

/** Runs `count` pieces of work with at most `inFlight` under way; resolves to pieces per second. */
export const throughput = async (
  count: number,
  inFlight: number,
  work: (n: number) => Promise<unknown>,
): Promise<number> => {
  const begun = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (count * 1_000) / (performance.now() - begun);
};

/** Runs `lanes` loops side by side, each one piece of work after the other; resolves to the median time of one, in ms. */
export const loopLatency = async (
  count: number,
  lanes: number,
  work: (lane: number) => Promise<unknown>,
): Promise<number> => {
  const times: number[] = [];
  const lane = async (_: unknown, index: number): Promise<void> => {
    for (let n = 0; n < Math.ceil(count / lanes); n++) {
      const begun = performance.now();
      await work(index);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return spreadOf(times).median;
};
