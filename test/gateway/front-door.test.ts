import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type FrontDoor, openFrontDoor } from "../../gateway/front-door.ts";
import { createReadiness } from "../../gateway/readiness.ts";

const doors: FrontDoor[] = [];
const openDoor = async (host: string, port: number, readiness = createReadiness()) => {
  const door = await openFrontDoor({ host, port }, readiness);
  doors.push(door);
  return door;
};
afterEach(async () => {
  for (const door of doors.splice(0)) await door.close();
});

describe("given a gateway that is still starting", () => {
  it("when asked, then it lives, is not ready for a reason, and sends everybody else away for a moment (U4)", async () => {
    const readiness = createReadiness();
    readiness.watch("backbone", () => ({ ok: false, reason: "connecting" }));
    const { port } = await openDoor("127.0.0.1", 0, readiness);
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await ask("/health/live")).status).toBe(200);
    const ready = await ask("/health/ready");
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, reasons: [{ part: "backbone", reason: "connecting" }] },
    ]);
    const other = await ask("/channels/web/events");
    expect([other.status, other.headers.get("retry-after")]).toEqual([503, "1"]);
  });
});

describe("given a request that never ends (F21)", () => {
  it.each([
    ["its head", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a"],
    ["its body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na"],
  ])("when it is %s, then it is cut off", async (_, begun) => {
    const door = await openFrontDoor({ host: "127.0.0.1", port: 0, requestWithinMs: 60 }, createReadiness());
    doors.push(door);
    door.handOver(() => undefined);
    const socket = connect(door.port, "127.0.0.1");
    socket.write(begun);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
  });
});

describe("given an address that cannot be used", () => {
  it("when the port is taken, then the error says so and what to do", async () => {
    const { port } = await openDoor("127.0.0.1", 0);
    await expect(openDoor("127.0.0.1", port)).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use: stop what uses it, or choose another gateway.port`,
    );
  });
});
