import { setTimeout as pause } from "node:timers/promises";
import { loopLatency, throughput } from "../measure.ts";
import { type Fates, PushingClient } from "../pushing-client.ts";
import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { openClients, SocketClient } from "../socket-client.ts";

const CLIENTS = 200;
const WARM_UP = 2_000;
const TIMES = 2;
const SECONDS = 15;
/** The default of what may wait before people are told to try again later. */
const MOST_WAITING = 10_000;
const RECOVERED_WITHIN_MS = 10_000;

/** Offers so many messages a second, evenly, for a while. */
const push = async (clients: readonly PushingClient[], perSecond: number): Promise<void> => {
  const begun = performance.now();
  for (let n = 0; n < perSecond * SECONDS; ) {
    const due = Math.min(perSecond * SECONDS, ((performance.now() - begun) * perSecond) / 1_000);
    while (n < due) clients[n++ % clients.length]?.push();
    await pause(1);
  }
};

/** Milliseconds until a message takes no longer than twice what it took before. */
const recovery = async (asker: SocketClient, beforeMs: number): Promise<number> => {
  const begun = performance.now();
  while ((await loopLatency(5, 1, () => asker.ask())) > 2 * beforeMs) await pause(50);
  return performance.now() - begun;
};

/** Twice as many messages as the product can answer: none that it accepted is lost, and all is well soon after. */
export const overload: Scenario = {
  name: "overload",
  aim: "≤ 1",
  soak: true,
  async *prepare() {
    const server = await ServerProcess.start("product");
    const place = { port: server.port, speaks: "mooring.v1" } as const;
    const calm = await openClients(CLIENTS, () => SocketClient.open(place));
    const ask = (n: number) => (calm[n % CLIENTS] as SocketClient).ask();
    // Every lane has a client of its own as long as they come in turn.
    await throughput(WARM_UP, 1, ask);
    const beforeMs = await loopLatency(200, 1, () => ask(0));
    const sustainable = await loopThroughput(ask);
    for (const client of calm.slice(1)) client.close();
    const fates: Fates = { sent: 0, accepted: 0, refused: 0, answered: 0, mostWaiting: 0 };
    const pushing: PushingClient[] = [];
    while (pushing.length < CLIENTS) pushing.push(await PushingClient.open(server.port, fates));
    await push(pushing, Math.round(TIMES * sustainable));
    const recoveredMs = await recovery(calm[0] as SocketClient, beforeMs);
    while (fates.accepted + fates.refused < fates.sent || fates.answered < fates.accepted) await pause(20);
    const figure = (name: string, unit: "ms" | "messages", value: number, most: number, aim: string) => ({
      name: `overload, ${SECONDS} s at ${TIMES}×: ${name}`,
      unit,
      aim,
      steady: true,
      cpu: async () => Number.NaN,
      product: async () => value,
      floor: async () => most,
    });
    const lost = fates.accepted - fates.answered;
    yield figure("until latency is as before, beside 10 s", "ms", recoveredMs, RECOVERED_WITHIN_MS, "≤ 1");
    // Gateways hear every two seconds how many wait: so much more may come in until then.
    yield figure("most that waited, beside the limit", "messages", fates.mostWaiting, MOST_WAITING, "≤ 1.3");
    yield figure("told to come back later, of all", "messages", fates.refused, fates.sent, "told");
    yield figure("accepted and never answered, of all", "messages", lost, fates.sent, "none");
    for (const client of [calm[0], ...pushing]) client?.close();
    await server.stop();
  },
};

/** What a closed loop of all clients gets answered in a second. */
const loopThroughput = async (ask: (lane: number) => Promise<void>): Promise<number> => {
  const count = 20 * CLIENTS;
  const begun = performance.now();
  await loopLatency(count, CLIENTS, ask);
  return (count * 1_000) / (performance.now() - begun);
};
