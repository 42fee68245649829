import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * For a server that must know its port before it listens on it, or for an address at which no server listens. The port
 * is below the range that systems take the ports of outgoing connections from: until the server listens, a client that
 * retries there would sooner or later connect to itself. No other call returns the port until this process has ended.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
};

/** The UDP socket with the same number is the lock: it leaves the TCP port alone, and no process outlives its sockets. */
const reserve = async (port: number): Promise<boolean> => {
  const lock = createSocket("udp4");
  lock.bind({ port, address: "127.0.0.1", exclusive: true });
  const isReserved = await settled(once(lock, "listening"));
  if (isReserved) lock.unref();
  else lock.close();
  return isReserved;
};

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  if (!(await settled(once(probe.listen(port, "127.0.0.1"), "listening")))) return false;
  probe.close();
  await once(probe, "close");
  return true;
};

const settled = (listening: Promise<unknown>): Promise<boolean> =>
  listening.then(
    () => true,
    () => false,
  );
