import { once } from "node:events";
import { WebSocket } from "ws";
import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { openClients, SocketClient } from "../socket-client.ts";

const CLIENTS = 1_000;
const MESSAGES = 5;
/** A message and its reply. */
const ENTRIES = 2 * MESSAGES;

/** Milliseconds until every client, all reconnecting at once, has all missed entries. */
const resumeAll = async (url: string, protocols: string[], hellos: readonly object[]): Promise<number> => {
  const begun = performance.now();
  const origin = new URL(url.replace("ws", "http")).origin;
  const sockets = hellos.map((hello) => {
    const socket = new WebSocket(url, protocols, { origin, perMessageDeflate: false });
    socket.on("open", () => socket.send(JSON.stringify(hello)));
    return socket;
  });
  await Promise.all(sockets.map(hasAll));
  const took = performance.now() - begun;
  const gone = sockets.map((socket) => once(socket, "close"));
  for (const socket of sockets) socket.terminate();
  await Promise.all(gone);
  return took;
};

const hasAll = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    let entries = 0;
    socket.on("error", reject);
    socket.on("message", (data: Buffer) => {
      if (data.includes('"type":"reply"') || data.includes('"type":"said"')) entries++;
      if (entries === ENTRIES) resolve();
    });
  });

/**
 * As after a restart of the gateway or of a proxy. The product reads the missed entries; raw sockets have them in
 * memory.
 */
export const socketResume: Scenario = {
  name: "socket: many resume at once",
  aim: "no aim",
  long: true,
  async *prepare() {
    for await (const { on, start } of eachBackbone()) {
      const [product, raw] = [await start("product"), await ServerProcess.start("raw")];
      const endpoint = { port: product.port, speaks: "mooring.v1" } as const;
      const visitors = await openClients(CLIENTS, () => SocketClient.open(endpoint));
      await Promise.all(
        visitors.map(async (visitor) => {
          for (let n = 0; n < MESSAGES; n++) await visitor.ask();
        }),
      );
      const hellos = visitors.map(({ token }) => ({ type: "hello", token, resumeFrom: 0 }));
      for (const visitor of visitors) visitor.close();
      yield {
        name: `socket: ${CLIENTS} clients resume at once, ${ENTRIES} entries each (${on})`,
        unit: "ms",
        cpu: (side) => (side === "product" ? product : raw).ask("cpu"),
        product: () => resumeAll(`ws://127.0.0.1:${product.port}/channels/web/socket`, ["mooring.v1"], hellos),
        floor: () =>
          resumeAll(
            `ws://127.0.0.1:${raw.port}/socket`,
            [],
            hellos.map(() => ({ resume: ENTRIES })),
          ),
      };
      await raw.stop();
    }
  },
};
