import type { FastifyInstance } from "fastify";
import { isoTime } from "../../../core/contract/ports/clock.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { allHourCounts, type Series, WAITING_TTL_MS } from "../../telemetry/index.ts";
import { type AdminDeps, adminRoute, checked } from "../admin-request.ts";
import { type ManagedChannel, managedAgents, managedChannels, managedTenant } from "../managed-resources.ts";

type Overview = AnswerTo<"GET overview">;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RANGES = {
  day: { stepMs: HOUR_MS, steps: 24 },
  week: { stepMs: DAY_MS, steps: 7 },
} as const;

/** A platform that accepts replies later than this on average is slow. */
const SLOW_SECONDS = 5;

/** Sums of the stored counts of all processes, over the agents and channels that the operator may manage. */
export const overviewRoutes = (scope: FastifyInstance, { config, store, clock }: AdminDeps): void => {
  adminRoute(scope, "GET overview", async (request) => {
    const { range, tenant } = checked(requests["GET overview"], request.query);
    if (tenant !== undefined) managedTenant(config, request, tenant);
    const isChosen = (each: { readonly tenant: string }) => tenant === undefined || each.tenant === tenant;
    const agents = managedAgents(config, request).filter(isChosen);
    const channels = managedChannels(config, request).filter(isChosen);
    const names = new Set([...agents.map(({ agent }) => `agent ${agent}`), ...channels.map(channelName)]);
    const { stepMs, steps } = RANGES[range];
    const now = clock.now();
    const first = now - (now % stepMs) - (steps - 1) * stepMs;
    const times = Array.from({ length: steps }, () => new Sums());
    const total = new Sums();
    for await (const { value } of store.list(allHourCounts())) {
      const step = Math.floor((Date.parse(value.hour) - first) / stepMs);
      const counts = Object.entries(value.counts).filter(([name]) => names.has(ownerOf(name)));
      const isCurrent = now - Date.parse(value.at) <= WAITING_TTL_MS;
      for (const [name, count] of counts) {
        if (name.startsWith("waiting/") && !isCurrent) continue;
        if (step < 0) continue;
        times[step]?.add(name, count);
        total.add(name, count);
      }
    }
    const answerSeconds = total.average("turn-seconds", "turns");
    return {
      range,
      times: times.map((sums, index) => ({ at: isoTime(first + index * stepMs), ...countsOf(sums) })),
      total: countsOf(total),
      waiting: total.of("waiting"),
      ...(answerSeconds !== undefined && { answerSeconds }),
      channels: channels.map((channel) => shownChannel(channel, total)).sort(slowestFirst),
    };
  });
};

/** Agents and channels may have the same name. */
const ownerOf = (name: string): string => {
  const [series = "", of = ""] = name.split("/");
  return `${OF_AGENTS.test(series) ? "agent" : "channel"} ${of}`;
};
const OF_AGENTS = /^(?:turn|cost|waiting)/;
const channelName = ({ channel }: ManagedChannel): string => `channel ${channel}`;

/** Sums by series, and by series and name. */
class Sums {
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

const countsOf = (sums: Sums): Overview["total"] => ({
  messages: sums.of("messages"),
  answers: sums.of("turns-answered"),
  failures: sums.of("turns-failed"),
  undelivered: sums.of("undelivered"),
  ...(sums.has("cost") && { cost: sums.of("cost") }),
});

const shownChannel = ({ channel, tenant }: ManagedChannel, total: Sums): Overview["channels"][number] => {
  const deliverySeconds = total.average("delivery-seconds", "deliveries", channel);
  return {
    channel,
    tenant,
    messages: total.of("messages", channel),
    undelivered: total.of("undelivered", channel),
    retries: total.of("retries", channel),
    ...(deliverySeconds !== undefined && { deliverySeconds }),
    isSlow: (deliverySeconds ?? 0) > SLOW_SECONDS,
  };
};

type ShownChannel = Overview["channels"][number];

const slowestFirst = (a: ShownChannel, b: ShownChannel): number =>
  (b.deliverySeconds ?? -1) - (a.deliverySeconds ?? -1);
