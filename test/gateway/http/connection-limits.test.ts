import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { type HttpListener, openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";

let listener: HttpListener;
let lines: object[];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.close();
});

const listen = async (
  limits: { connections: number; connectionsPerAddress: number },
  trustedProxies: string[] = [],
) => {
  lines = [];
  const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  listener = await openHttpListener({ host: "127.0.0.1", port: 0, limits, trustedProxies, logger }, createReadiness());
};
const open = async (localAddress = "127.0.0.1"): Promise<Socket> => {
  const socket = connect({ port: listener.port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
};
/** The status of the response, or "closed". */
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once("data", (data) => resolve(String(data).slice(9, 12))).once("close", () => resolve("closed"));
    if (socket.destroyed) resolve("closed");
    else socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n");
  });

describe("given a limit on connections per address (F21)", () => {
  it("when an address has reached it, then a further connection is closed, and other addresses are served", async () => {
    await listen({ connections: 100, connectionsPerAddress: 1 });
    const held = await Promise.all(Array.from({ length: 10 }, () => open()));
    expect(await ask(await open())).toBe("closed");
    expect(await ask(await open("127.0.0.2"))).toBe("200");
    held[0]?.destroy();
    await once(held[0] as Socket, "close");
    await expect.poll(async () => ask(await open())).toBe("200");
    await listener.close();
    expect(lines).toMatchObject([{ address: "127.0.0.1" }]);
  });

  it("when the address is a trusted proxy, then only the total limit applies", async () => {
    await listen({ connections: 100, connectionsPerAddress: 1 }, ["127.0.0.0/8"]);
    const held = await Promise.all(Array.from({ length: 30 }, () => open()));
    expect(await Promise.all(held.map(ask))).toEqual(held.map(() => "200"));
  });
});

describe("given a gateway at its total limit of connections", () => {
  it("when another client connects, then the connection that has been idle longest is closed (F21)", async () => {
    await listen({ connections: 3, connectionsPerAddress: 100 });
    const [first, second] = [await open(), await open()];
    const third = await open();
    expect(await ask(first as Socket)).toBe("200");
    const cut = once(second as Socket, "close");
    const fourth = await open();
    await cut;
    expect([await ask(fourth), await ask(third), await ask(first as Socket)]).toEqual(["200", "200", "200"]);
  });
});
