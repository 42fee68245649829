import { loopTimes, pacedTimes, type Side } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { openClients, SocketClient, type SocketEndpoint } from "../socket-client.ts";

/** Clients of one server, opened when they are needed. */
const crowdAt = (endpoint: SocketEndpoint) => {
  const clients: SocketClient[] = [];
  const ask = (lane: number) => (clients[lane] as SocketClient).ask();
  const arrive = async (count: number) => {
    clients.push(...(await openClients(count - clients.length, () => SocketClient.open(endpoint))));
  };
  return {
    async talk(messages: number, count: number): Promise<readonly number[]> {
      await arrive(count);
      return loopTimes(messages, count, ask);
    },
    async answered(messages: number, count: number): Promise<number> {
      const begun = performance.now();
      await this.talk(messages, count);
      return (messages * 1_000) / (performance.now() - begun);
    },
    async talkPaced(messages: number, perSecond: number, count: number): Promise<readonly number[]> {
      await arrive(count);
      return pacedTimes(messages, perSecond, count, ask);
    },
    leave() {
      for (const client of clients) client.close();
    },
  };
};

/** Warm-up: before that, the engine is still compiling. */
const WARM_UP = 2_000;
/** Messages of a quick round, by the number of clients. */
const QUICK = { 1: 40, 100: 500, 1000: 1_000 };
const ONE_IN_SLICES = 4;
const PACE = 1_000;

/** From a browser's message to its reply: the whole product beside a bare server with the same six durable writes. */
export const socketRoundTrip: Scenario = {
  name: "socket: message → reply",
  aim: "≤ 1.5",
  async *prepare(quick) {
    for await (const { on, start } of eachBackbone()) {
      const [product, floor] = [await start("product"), await start("floor")];
      const cpu = (side: Side) => (side === "product" ? product : floor).ask("cpu");
      const onProduct = crowdAt({ port: product.port, speaks: "mooring.v1" });
      const onFloor = crowdAt({ port: floor.port, speaks: "nothing" });
      for (const side of [onProduct, onFloor]) await side.talk(quick ? WARM_UP / 2 : WARM_UP, 100);
      for (const clients of quick ? ([1, 100] as const) : ([1, 100, 1_000] as const)) {
        const messages = quick ? QUICK[clients] : 2 * QUICK[clients];
        yield {
          name: `socket: message → reply, ${clients} clients (${on})`,
          unit: "ms",
          ...(clients === 1 && { slices: ONE_IN_SLICES }),
          cpu,
          product: () => onProduct.talk(messages, clients),
          floor: () => onFloor.talk(messages, clients),
        };
      }
      // A slow second would be half of a quick run.
      if (!quick) {
        yield {
          name: `socket: messages answered, 100 clients (${on})`,
          unit: "per second",
          aim: "≥ 0.6",
          cpu,
          product: () => onProduct.answered(2 * QUICK[100], 100),
          floor: () => onFloor.answered(2 * QUICK[100], 100),
        };
        yield {
          name: `socket: message → reply, paced ${PACE}/s of 1000 clients (${on})`,
          unit: "ms",
          cpu,
          product: () => onProduct.talkPaced(3 * PACE, PACE, 1_000),
          floor: () => onFloor.talkPaced(3 * PACE, PACE, 1_000),
        };
      }
      onProduct.leave();
      onFloor.leave();
    }
  },
};
