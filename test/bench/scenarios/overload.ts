import { setTimeout as pause } from "node:timers/promises";
import { POLL_LOAD_EVERY_MS } from "../../../core/intake/publish-load.ts";
import { loopTimes, quantile } from "../measure.ts";
import { type Fate, PushingClient } from "../pushing-client.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";

const CLIENTS = 200;
const WARM_UP = 2_000;
const TIMES = 2;
const SECONDS = 10;
/** Reached within seconds at twice the rate, on any machine that answers some hundred messages a second. */
const MAX_WAITING = 1_000;
const RECOVERED_WITHIN_MS = 10_000;
/** A message without an outcome this long after the load counts as lost. */
const LOST_AFTER_MS = 30_000;

/** The number of answers per second in a closed loop of all clients. */
const sustainableRate = async (clients: readonly PushingClient[]): Promise<number> => {
  const count = 20 * CLIENTS;
  const begun = performance.now();
  await loopTimes(count, CLIENTS, (lane) => (clients[lane] as PushingClient).push());
  return (count * 1_000) / (performance.now() - begun);
};

/** Offers so many messages a second, evenly, for a while. */
const overrun = async (clients: readonly PushingClient[], perSecond: number): Promise<Promise<Fate>[]> => {
  const fates: Promise<Fate>[] = [];
  const begun = performance.now();
  while (fates.length < perSecond * SECONDS) {
    const due = Math.min(perSecond * SECONDS, ((performance.now() - begun) * perSecond) / 1_000);
    while (fates.length < due) fates.push((clients[fates.length % CLIENTS] as PushingClient).push());
    await pause(1);
  }
  return fates;
};

/** Milliseconds of one message after the other; none of them refused. */
const calmLatency = async (client: PushingClient, count: number): Promise<number> => {
  const fates: Fate[] = [];
  const times = await loopTimes(count, 1, async () => fates.push(await client.push()));
  return fates.every((fate) => fate === "answered") ? quantile(times, 0.5) : Number.POSITIVE_INFINITY;
};

/** Milliseconds until messages are taken, and take no longer than twice what they took before. */
const recovery = async (client: PushingClient, beforeMs: number): Promise<number> => {
  const begun = performance.now();
  while ((await calmLatency(client, 5)) > 2 * beforeMs) await pause(50);
  return performance.now() - begun;
};

const tally = async (fates: readonly Promise<Fate>[]): Promise<Record<Fate, number>> => {
  const counts = { answered: 0, "told to come back later": 0, "cut off": 0 };
  const ends = fates.map(async (fate) => void counts[await fate]++);
  const late = new AbortController();
  await Promise.race([Promise.all(ends), pause(LOST_AFTER_MS, undefined, late)]);
  late.abort();
  return counts;
};

/** Twice as many messages as the product answers: none is lost, the queue is bounded, refused clients get an error, and latency recovers. */
export const overload: Scenario = {
  name: "overload",
  aim: "≤ 1",
  long: true,
  async *prepare() {
    for await (const { on, start } of eachBackbone()) {
      const server = await start("product", `--waiting=${MAX_WAITING}`);
      const clients: PushingClient[] = [];
      while (clients.length < CLIENTS) clients.push(await PushingClient.open(server.port));
      const asker = clients[0] as PushingClient;
      await loopTimes(WARM_UP, CLIENTS, (lane) => (clients[lane] as PushingClient).push());
      const beforeMs = await calmLatency(asker, 200);
      const rate = Math.round(TIMES * (await sustainableRate(clients)));
      const fates = await overrun(clients, rate);
      const recoveredMs = await recovery(asker, beforeMs);
      const counts = await tally(fates);
      const mostWaited = await server.ask("most waited");
      const refused = counts["told to come back later"];
      const figure = (name: string, unit: "ms" | "messages", value: number, beside: number, aim: string) => ({
        name: `overload, ${SECONDS} s at ${TIMES}×: ${name} (${on})`,
        unit,
        aim,
        steady: true,
        cpu: async () => Number.NaN,
        product: async () => value,
        floor: async () => beside,
      });
      yield figure("until latency is as before, beside 10 s", "ms", recoveredMs, RECOVERED_WITHIN_MS, "≤ 1");
      const bound = MAX_WAITING + (rate * POLL_LOAD_EVERY_MS) / 1_000;
      yield figure("most that waited, beside the limit and what comes in 0.2 s", "messages", mostWaited, bound, "≤ 1");
      yield figure("answered, of all", "messages", counts.answered, fates.length, "or told");
      yield figure("told to come back later, of all", "messages", refused, fates.length, "told");
      yield figure("lost, of all", "messages", fates.length - counts.answered - refused, fates.length, "none");
      for (const client of clients) client.close();
    }
  },
};
