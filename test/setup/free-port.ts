import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** For what must know its port before it listens on it. */
export const freePort = async (): Promise<number> => {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
};
