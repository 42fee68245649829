import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { freePort } from "./free-port.ts";

describe("given a port for a server that is not started yet", () => {
  it("when other ports are requested, then none of them is the same", async () => {
    const ports = await Promise.all(Array.from({ length: 300 }, freePort));
    expect(new Set(ports).size).toBe(300);
  });

  it("when another process requests the same port, then the lock prevents it", async () => {
    const lock = createSocket("udp4");
    lock.bind({ port: await freePort(), address: "127.0.0.1", exclusive: true });
    await expect(once(lock, "listening")).rejects.toMatchObject({ code: "EADDRINUSE" });
    lock.close();
  });
});
