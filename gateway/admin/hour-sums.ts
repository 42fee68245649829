import { type Clock, isoTime } from "../../core/contract/ports/clock.ts";
import type { Store } from "../../core/contract/ports/store.ts";
import { allHourCounts, type Series, WAITING_TTL_MS } from "../telemetry/index.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RANGES = {
  day: { stepMs: HOUR_MS, steps: 24 },
  week: { stepMs: DAY_MS, steps: 7 },
} as const;

/** Names of agents and channels whose counts are added up. */
interface Counted {
  readonly agents: readonly string[];
  readonly channels: readonly string[];
}

interface SumsOverTime {
  /** Oldest first: the hours of a day, or the days of a week, in UTC. */
  readonly times: readonly { readonly at: string; readonly sums: Sums }[];
  readonly total: Sums;
}

/** Adds up the stored counts of all processes. The cost depends on the number of processes, not on their traffic. */
export const sumsOverTime = async (
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  range: keyof typeof RANGES,
  { agents, channels }: Counted,
): Promise<SumsOverTime> => {
  // Agents and channels may have the same name.
  const names = new Set([...agents.map((name) => `agent ${name}`), ...channels.map((name) => `channel ${name}`)]);
  const { stepMs, steps } = RANGES[range];
  const now = clock.now();
  const first = now - (now % stepMs) - (steps - 1) * stepMs;
  const times = Array.from({ length: steps }, (_, index) => ({
    at: isoTime(first + index * stepMs),
    sums: new Sums(),
  }));
  const total = new Sums();
  for await (const { value } of store.list(allHourCounts())) {
    const step = Math.floor((Date.parse(value.hour) - first) / stepMs);
    if (step < 0) continue;
    const isCurrent = now - Date.parse(value.at) <= WAITING_TTL_MS;
    for (const [name, count] of Object.entries(value.counts)) {
      if (!names.has(ownerOf(name)) || (name.startsWith("waiting/") && !isCurrent)) continue;
      times[step]?.sums.add(name, count);
      total.add(name, count);
    }
  }
  return { times, total };
};

const ownerOf = (name: string): string => {
  const [series = "", of = ""] = name.split("/");
  return `${OF_AGENTS.test(series) ? "agent" : "channel"} ${of}`;
};
const OF_AGENTS = /^(?:turn|cost|waiting|feedback)/;

/** Sums by series, and by series and name. */
export class Sums {
  readonly #values = new Map<string, number>();

  add(name: string, by: number): void {
    for (const key of [name, name.split("/", 1)[0] ?? ""]) this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  has(series: Series): boolean {
    return this.#values.has(series);
  }

  of(series: Series, name?: string): number {
    return this.#values.get(name === undefined ? series : `${series}/${name}`) ?? 0;
  }

  average(sum: Series, count: Series, name?: string): number | undefined {
    const number = this.of(count, name);
    return number === 0 ? undefined : this.of(sum, name) / number;
  }
}
