import { loopLatency } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { openClients, SocketClient } from "../socket-client.ts";

const REPLIES = 5;
/** Almost ten thousand of each side: they are in one process, which may have 20,000 open files. */
const MOST = 9_900;

/** Milliseconds from the command to send one reply until the last socket has it. */
const spread = (server: ServerProcess, clients: readonly SocketClient[], to: string): Promise<number> =>
  loopLatency(REPLIES, 1, async () => {
    const replies = Promise.all(clients.map((client) => client.reply()));
    await server.ask("reply", to);
    await replies;
  });

/** One reply to all tabs of a conversation. The product stores it twice; raw sockets store nothing. */
export const socketBroadcast: Scenario = {
  name: "socket: one reply to many",
  aim: "≤ 1.3",
  async *prepare(quick) {
    for await (const { on, start } of eachBackbone({ firstOnly: quick })) {
      const [product, raw] = [await start("product"), await ServerProcess.start("raw")];
      const first = await SocketClient.open({ port: product.port, speaks: "mooring.v1" });
      const onProduct = [first];
      const onFloor: SocketClient[] = [];
      for (const count of quick ? [1_000] : [1_000, 5_000, MOST]) {
        const tab = () => SocketClient.open({ port: product.port, speaks: "mooring.v1" }, first.token);
        onProduct.push(...(await openClients(count - onProduct.length, tab)));
        const bare = () => SocketClient.open({ port: raw.port, speaks: "nothing" });
        onFloor.push(...(await openClients(count - onFloor.length, bare)));
        yield {
          name: `socket: one reply to ${count} sockets (${on})`,
          unit: "ms",
          ...(count === MOST && { aim: "≤ 1.2" }),
          cpu: (side) => (side === "product" ? product : raw).ask("cpu"),
          product: () => spread(product, onProduct, first.conversation),
          floor: () => spread(raw, onFloor, ""),
        };
      }
      for (const client of [...onProduct, ...onFloor]) client.close();
      await raw.stop();
    }
  },
};
