import type { Scenario } from "../scenario.ts";
import { ServerProcess } from "../servers/server-process.ts";
import { openClients, SocketClient, type SocketEndpoint } from "../socket-client.ts";

/** Kilobytes of live memory of one more idle socket, in a server that has had some already. */
const kilobytesPerSocket = async (
  name: "product" | "raw",
  speaks: SocketEndpoint["speaks"],
  count: number,
): Promise<number> => {
  const server = await ServerProcess.start(name);
  const open = () => SocketClient.open({ port: server.port, speaks });
  const first = await openClients(WARM_UP, open);
  const before = await server.ask("memory");
  const clients = await openClients(count, open);
  const after = await server.ask("memory");
  for (const client of [...first, ...clients]) client.close();
  await server.stop();
  return (after - before) / count / 1_024;
};

/** A visitor who has sent hello and is then idle, beside a raw socket. */
export const socketMemory: Scenario = {
  name: "socket: memory of an idle one",
  aim: "≤ 1.5",
  async *prepare(quick) {
    const count = quick ? 1_000 : 5_000;
    yield {
      name: "socket: memory of an idle one",
      unit: "kB",
      steady: true,
      product: () => kilobytesPerSocket("product", "mooring.v1", count),
      floor: () => kilobytesPerSocket("raw", "nothing", count),
    };
  },
};

/** Warm-up: otherwise compiled code would count as memory of the sockets. */
const WARM_UP = 1_000;
