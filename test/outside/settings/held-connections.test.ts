import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect } from "vitest";
import { requireFreshBuild } from "../../e2e/mooring-process.ts";
import { startStopwatch } from "../../setup/stopwatch.ts";
import { Product } from "../product.ts";
import { proves } from "./proves.ts";

beforeAll(requireFreshBuild);

let product: Product;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await product.dispose();
});

describe("given one address that opens more connections than a gateway allows", () => {
  proves(
    ["gateway.limits.connectionsPerAddress"],
    "when others send requests, then they are answered, and connections with unfinished headers are closed after 10 s (F21)",
    async () => {
      product = await Product.create({ backbone: "embedded" });
      const limits = { connections: 100, connectionsPerAddress: 5 };
      const mooring = await product.start("start", (port) => ({ gateway: { host: "127.0.0.1", port, limits } }));
      await mooring.ready();
      const open = (localAddress: string) => {
        const socket = connect({ port: mooring.port, host: "127.0.0.1", localAddress }).on("error", () => undefined);
        sockets.push(socket.resume());
        return socket;
      };
      const watch = startStopwatch();
      const held = Array.from({ length: 200 }, () => open("127.0.0.1"));
      const closed = held.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      for (const socket of held) socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      await Promise.all(
        held.map((socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))),
      );

      for (let n = 0; n < 20; n++) {
        const other = open("127.0.0.2");
        other.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        const answer = new Promise<string>((resolve) => {
          other.once("data", (data) => resolve(String(data).slice(9, 12))).once("close", () => resolve("cut"));
        });
        expect(await answer).toBe("200");
      }
      // Ten times the limit, because it is this machine; the health check may have used one of them.
      const stillHeld = held.filter((socket) => !socket.destroyed).length;
      expect([49, 50]).toContain(stillHeld);
      await Promise.all(closed);
      expect(watch.undelayedMs()).toBeLessThan(13_000);
      watch.stop();
      await mooring.end();
      const refused = mooring
        .stderr()
        .split("\n")
        .filter((line) => line.includes("connections refused"));
      expect(refused.map((line) => JSON.parse(line))).toMatchObject([
        { address: "127.0.0.1", tooManyOfAddress: 200 - stillHeld },
      ]);
    },
  );
});
