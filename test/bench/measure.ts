/** One measurement of the product and of a floor that does the same durable work only. */
export interface Comparison {
  readonly name: string;
  /** The unit of the figures: "per second" is better when larger, the others when smaller. */
  readonly unit: "per second" | "ms" | "kB" | "messages";
  /** An aim other than that of its scenario. */
  readonly aim?: string;
  /** A deterministic figure: one round is enough, without a warm-up. */
  readonly steady?: boolean;
  /** A factor for the number of rounds. Many short rounds spread a slow second of the disk over both sides. */
  readonly slices?: number;
  /**
   * One figure, or the duration of each piece of work: then the figure of a round is the median, and the tails are
   * reported too.
   */
  product(): Promise<Round>;
  floor(): Promise<Round>;
  /** CPU milliseconds that a side has used so far. Absent: both run in this process. */
  cpu?(side: Side): Promise<number>;
}

export type Side = "product" | "floor";
export type Round = number | readonly number[];

/** Over all rounds, because one round has too few samples. */
export interface Tail {
  readonly product: number;
  readonly floor: number;
}

export interface Measured {
  readonly name: string;
  readonly unit: Comparison["unit"];
  readonly product: Spread;
  readonly floor: Spread;
  /**
   * The median of the ratios of product and floor per round: an outside load that slows both sides down cancels out.
   */
  readonly ratio: number;
  /** The ratio of the CPU times of product and floor: more stable than wall time on a busy machine. */
  readonly cpuRatio: number;
  readonly p99?: Tail;
  readonly p999?: Tail;
  /** The slowest sample. */
  readonly max?: Tail;
}

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The two sides alternate, so that other load on the machine affects both equally; the first of several rounds is a
 * warm-up.
 */
export const measure = async (comparison: Comparison, rounds: number): Promise<Measured> => {
  const product: number[] = [];
  const floor: number[] = [];
  const times: Record<Side, number[]> = { product: [], floor: [] };
  const used = { product: 0, floor: 0 };
  const cpu = comparison.cpu ?? (async () => ownCpu());
  const last = rounds * (comparison.slices ?? 1);
  for (let round = comparison.steady ? last : 0; round <= last; round++) {
    const order = round % 2 === 0 ? (["product", "floor"] as const) : (["floor", "product"] as const);
    for (const side of order) {
      const before = await cpu(side);
      const measured = await comparison[side]();
      if (round === 0) continue;
      if (typeof measured !== "number") times[side].push(...measured);
      const value = typeof measured === "number" ? measured : spreadOf(measured).median;
      (side === "product" ? product : floor).push(value);
      used[side] += (await cpu(side)) - before;
    }
  }
  const [onProduct, onFloor] = [spreadOf(product), spreadOf(floor)];
  return {
    name: comparison.name,
    unit: comparison.unit,
    product: onProduct,
    floor: onFloor,
    ratio: spreadOf(product.map((value, round) => value / (floor[round] ?? Number.NaN))).median,
    cpuRatio: used.product / used.floor,
    ...(times.product.length > 0 && { p99: tailOf(times, 0.99), p999: tailOf(times, 0.999), max: tailOf(times, 1) }),
  };
};

const tailOf = ({ product, floor }: Record<Side, readonly number[]>, share: number): Tail => ({
  product: quantile(product, share),
  floor: quantile(floor, share),
});

/** The value below which this share of the samples is; the maximum for a share of 1. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

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

/** Runs `count` pieces of work with at most `inFlight` in progress; resolves to pieces per second. */
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

/** Runs `lanes` loops in parallel, each one piece of work after the other; resolves to all durations in ms. */
export const loopTimes = async (
  count: number,
  lanes: number,
  work: (lane: number) => Promise<unknown>,
): Promise<readonly number[]> => {
  const times: number[] = [];
  const lane = async (_: unknown, index: number): Promise<void> => {
    for (let n = 0; n < Math.ceil(count / lanes); n++) {
      const begun = performance.now();
      await work(index);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return times;
};

/** The median of `loopTimes`. */
export const loopLatency = async (...loop: Parameters<typeof loopTimes>): Promise<number> =>
  spreadOf(await loopTimes(...loop)).median;

/**
 * Starts this many pieces of work per second, independent of earlier ones; each lane runs one at a time. A duration
 * starts at the due time of the work, so that waiting for the previous piece counts.
 */
export const pacedTimes = async (
  count: number,
  perSecond: number,
  lanes: number,
  work: (lane: number) => Promise<unknown>,
): Promise<readonly number[]> => {
  const times: number[] = [];
  const ends: Promise<void>[] = Array.from({ length: lanes }, () => Promise.resolve());
  const begun = performance.now();
  for (let n = 0; n < count; ) {
    const due = begun + (n * 1_000) / perSecond;
    if (due > performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    const lane = n++ % lanes;
    ends[lane] = (ends[lane] as Promise<void>).then(async () => {
      await work(lane);
      times.push(performance.now() - due);
    });
  }
  await Promise.all(ends);
  return times;
};
