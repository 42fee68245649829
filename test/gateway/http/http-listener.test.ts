import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HttpListener, openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness, type Readiness } from "../../../gateway/http/readiness.ts";

const listeners: HttpListener[] = [];
const openListener = async (
  options: { port?: number; requestTimeoutMs?: number } = {},
  readiness = createReadiness(),
) => {
  const listener = await openHttpListener({ host: "127.0.0.1", port: 0, ...options }, readiness);
  listeners.push(listener);
  return listener;
};
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

/** All data that the server sends until it closes the connection. */
const exchange = async ({ port }: HttpListener, ...sent: (string | Buffer)[]): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  for (const bytes of sent) socket.write(bytes);
  await once(socket, "close");
  return answer;
};

const UPGRADE = [
  "GET /channels/web/socket HTTP/1.1",
  "Host: x",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "\r\n",
].join("\r\n");
const H2C = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n";
const post = (length: number) => `POST /channels/slack/events HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe.each(["starting", "stopping"] as const)("given a process that is %s (U6, F32)", (phase) => {
  let listener: HttpListener;
  let readiness: Readiness;
  beforeEach(async () => {
    readiness = createReadiness();
    readiness.watch("backbone", () => ({ ok: false, reason: "connecting" }));
    listener = await openListener({}, readiness);
    listener.applicationServer(() => expect.unreachable("the application got a request"));
    if (phase === "starting") return;
    listener.serve();
    readiness.stopping();
    listener.refuse();
  });

  it("when health is requested, then it is live, and not ready with the reason (U4)", async () => {
    const ask = (path: string) => fetch(`http://127.0.0.1:${listener.port}${path}`);
    expect((await ask("/health/live")).status).toBe(200);
    const ready = await ask("/health/ready?probe=1");
    const reason =
      phase === "starting" ? { part: "backbone", reason: "connecting" } : { part: "process", reason: "stopping" };
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reasons: [reason], degraded: [] }]);
  });

  it("when another path is requested, then it is refused with 503 and Retry-After", async () => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/channels/web/widget.js`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(answer.headers.get("connection")).toBe(phase === "starting" ? "keep-alive" : "close");
    expect(await answer.json()).toMatchObject({ error: { code: "unavailable" } });
  });

  it("when a large body is sent, then the refusal arrives instead of a reset", async () => {
    const length = 20_000_000;
    const body = Buffer.alloc(length, "x");
    const close = "POST /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    const answer = await exchange(listener, `${close}Content-Length: ${length}\r\n\r\n`, body);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  });

  it("when a client requests a WebSocket, then it is refused with 503 and Retry-After", async () => {
    const answer = await exchange(listener, UPGRADE);
    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(answer).toContain("retry-after: 1\r\n");
    expect(answer).toContain("connection: close\r\n");
  });

  it.each([
    ["nonsense", "nonsense\r\n\r\n", 400],
    ["a header of 20 kB", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["CONNECT", "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n", 405],
    [
      "a body with an upgrade",
      `${UPGRADE.replace("Host: x", "Content-Length: 1\r\nHost: x").replace("websocket", "h2c")}x`,
      400,
    ],
    ["a broken chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 503],
  ])("when the request is %s, then it gets a response", async (_, request, status) => {
    expect(await exchange(listener, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it("when a client requests an upgrade to HTTP/2, then health is answered in HTTP/1.1", async () => {
    expect(await exchange(listener, H2C)).toMatch(/^HTTP\/1\.1 200 .*\{"live":true\}$/s);
  });

  it("when a client resets its socket during the upgrade, then the next request is answered", async () => {
    const socket = connect(listener.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(UPGRADE);
    socket.resetAndDestroy();
    expect((await fetch(`http://127.0.0.1:${listener.port}/health/live`)).status).toBe(200);
  });
});

describe("given an application on the listener", () => {
  const held: ServerResponse[] = [];
  const hold = (_request: IncomingMessage, response: ServerResponse) => void held.push(response);

  it("when Fastify is created but not ready, then it gets no request until it serves (F32)", async () => {
    const listener = await openListener();
    const app = fastify({ serverFactory: (handler) => listener.applicationServer(handler) });
    app.get("/", async () => "served");
    const url = `http://127.0.0.1:${listener.port}/`;
    expect((await fetch(url)).status).toBe(503);
    await app.ready();
    listener.serve();
    expect(await (await fetch(url)).text()).toBe("served");
  });

  it("when its handler throws, then the client gets a 500 and the process continues", async () => {
    const listener = await openListener();
    listener.applicationServer(() => {
      throw new Error("unexpected");
    });
    listener.serve();
    const ask = () => fetch(`http://127.0.0.1:${listener.port}/`);
    expect([(await ask()).status, (await ask()).status]).toEqual([500, 500]);
  });

  it("when it drains, then it still serves and each response closes its connection (F30)", async () => {
    const listener = await openListener();
    listener.applicationServer((_request, response) => void response.end("served"));
    listener.serve();
    listener.drain();
    const answer = await fetch(`http://127.0.0.1:${listener.port}/`);
    expect([await answer.text(), answer.headers.get("connection")]).toEqual(["served", "close"]);
  });

  it("when it stops, then the request in flight is answered before its connection is closed (F30)", async () => {
    const listener = await openListener();
    listener.applicationServer(hold);
    listener.serve();
    const answer = fetch(`http://127.0.0.1:${listener.port}/`);
    while (held.length === 0) await new Promise(setImmediate);
    listener.refuse();
    const closed = listener.close();
    held.pop()?.end("late");
    expect(await (await answer).text()).toBe("late");
    await closed;
  });

  it("when it stops and a request does not end, then its connection is closed after a second", async () => {
    const listener = await openListener();
    listener.applicationServer(hold);
    listener.serve();
    const answer = fetch(`http://127.0.0.1:${listener.port}/`);
    answer.catch(() => undefined);
    while (held.length === 0) await new Promise(setImmediate);
    await listener.close();
    await expect(answer).rejects.toThrow();
  });
});

describe("given a request that never ends (F21)", () => {
  it.each([
    ["its head", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a"],
    ["its body", post(9)],
  ])("when it is %s, then it gets a 408 and its connection is closed", async (_, begun) => {
    const listener = await openListener({ requestTimeoutMs: 60 });
    listener.applicationServer(() => undefined);
    listener.serve();
    expect(await exchange(listener, begun)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("given a port that is in use", () => {
  it("when the listener opens, then the error names the port and says what to do", async () => {
    const { port } = await openListener();
    await expect(openListener({ port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use: stop what uses it, or choose another gateway.port`,
    );
  });
});
