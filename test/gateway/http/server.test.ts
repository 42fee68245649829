import { once } from "node:events";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { silentLogger } from "../../../core/contract/ports/logger.ts";
import { type HttpListener, openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness, type Readiness } from "../../../gateway/http/readiness.ts";
import { createServer } from "../../../gateway/http/server.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { ServedChannel } from "../../fakes/served-channel.ts";

let app: FastifyInstance;
let listener: HttpListener;
let channel: ServedChannel;
let readiness: Readiness;
const logged: unknown[] = [];

const recordingLogger = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line) };

beforeEach(async () => {
  logged.length = 0;
  channel = new ServedChannel("web");
  readiness = createReadiness();
  const metrics = createMetrics(recordingLogger);
  listener = await openHttpListener({ host: "127.0.0.1", port: 0 }, readiness);
  app = await createServer({ listener, adapters: [channel], readiness, metrics, logger: recordingLogger });
});
afterEach(async () => {
  await app.close();
  await listener.close();
});

describe("given the gateway's server", () => {
  it("when the first page is opened, then it has the widget and a policy that allows no other origin", async () => {
    const page = await app.inject("/");
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('<script src="/channels/web/widget.js" async data-target="#chat"');
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
  });

  it.each(["/", "/health/live", "/metrics", "/nothing", "/channels/web/events", "/channels/web/socket"])(
    "when %s is requested, then the headers forbid framing, sniffing, caching and cross-origin reads",
    async (url) => {
      const { headers } = await app.inject(url);
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
      const policy = String(headers["content-security-policy"]);
      for (const rule of ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]) {
        expect(policy).toContain(rule);
      }
    },
  );

  it("when health is requested, then it is always live, and ready only without problems, which it lists (U4)", async () => {
    expect((await app.inject("/health/ready")).statusCode).toBe(200);
    readiness.watch("backbone", () => ({ ok: false, reason: "no connection" }));
    const ready = await app.inject("/health/ready");
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({
      ready: false,
      reasons: [{ part: "backbone", reason: "no connection" }],
      degraded: [],
    });
    readiness.stopping();
    expect((await app.inject("/health/ready")).json().reasons).toEqual([{ part: "process", reason: "stopping" }]);
    expect((await app.inject("/health/live")).statusCode).toBe(200);
  });

  it("when a channel does not work, then the process is ready and lists the channel as degraded (U6, F33)", async () => {
    readiness.watchOptional("channel slack", () => ({ ok: false, reason: "check botToken" }));
    readiness.watchOptional("channel web", () => ({ ok: true }));
    const ready = await app.inject("/health/ready");
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { ready: true, reasons: [], degraded: [{ part: "channel slack", reason: "check botToken" }] },
    ]);
  });

  it("when metrics are scraped, then they contain process metrics and ours, by route and not by address (U4)", async () => {
    await app.inject("/health/live");
    await app.inject("/some/scan?token=hunter2");
    const { body } = await app.inject("/metrics");
    expect(body).toContain("process_cpu_seconds_total");
    expect(body).toContain('mooring_http_requests_total{method="GET",route="/health/live",status="200"} 1');
    expect(body).toContain('mooring_http_requests_total{method="GET",route="none",status="404"} 1');
    expect(body).not.toContain("scan");
  });

  it.each([
    ["GET", "/nothing", 404, "not-found"],
    ["POST", "/nothing", 404, "not-found"],
    ["POST", "/health/live", 405, "method-not-allowed"],
    ["GET", "/channels/web/events", 405, "method-not-allowed"],
    ["GET", "/channels/other/events", 404, "not-found"],
    ["GET", "/channels/web/socket", 426, "refused"],
  ] as const)("when %s %s is requested, then the response is %i as JSON", async (method, url, status, code) => {
    const answer = await app.inject({ method, url, ...(method === "POST" ? { payload: { not: "for you" } } : {}) });
    expect(answer.statusCode).toBe(status);
    expect(answer.json().error.code).toBe(code);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    if (status === 405) expect(answer.headers.allow).toBeDefined();
  });
});

describe("given a channel with webhooks", () => {
  it("when its platform posts, then the adapter gets the unchanged bytes, and its response is sent", async () => {
    const answer = await app.inject({
      method: "POST",
      url: "/channels/web/events?a=1&b=2&b=3",
      headers: { "content-type": "application/json", "x-signature": "abc" },
      payload: '{ "odd":  "spacing" }',
    });
    expect([answer.statusCode, answer.body, answer.headers["x-own"]]).toEqual([202, "taken", "yes"]);
    const [request] = channel.requests;
    expect(request?.body.toString()).toBe('{ "odd":  "spacing" }');
    expect(request?.headers["x-signature"]).toBe("abc");
    expect(request?.query).toEqual({ a: "1" });
  });

  it("when the body exceeds the webhook's limit, then it is refused and the adapter does not get it (F20)", async () => {
    const answer = await app.inject({ method: "POST", url: "/channels/web/events", payload: "x".repeat(101) });
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, "too-large"]);
    expect(channel.requests).toEqual([]);
  });

  it("when it responds with its own headers, then they override the defaults", async () => {
    const widget = await app.inject("/channels/web/widget.js");
    expect(widget.headers["cache-control"]).toBe("max-age=60");
    expect(widget.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  });

  it("when it throws, then the response contains no details, and the log does", async () => {
    const answer = await app.inject({ method: "POST", url: "/channels/web/broken", payload: "private words" });
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("plan");
    expect(JSON.stringify(logged)).toContain("the secret plan");
    expect(JSON.stringify(logged)).not.toContain("private words");
  });

  it("when it is not ready, then the response has Retry-After (F32)", async () => {
    const answer = await app.inject({ method: "POST", url: "/channels/web/starting" });
    expect([answer.statusCode, answer.headers["retry-after"]]).toEqual([503, "1"]);
  });

  it("when it refuses with a known error, then the response has that error", async () => {
    const answer = await app.inject({ method: "POST", url: "/channels/web/refused" });
    expect([answer.statusCode, answer.json().error]).toEqual([
      429,
      { code: "rate-limited", message: "Too many; try again in a minute." },
    ]);
  });
});

describe("given a channel with a socket", () => {
  const socketUrl = () => `ws://127.0.0.1:${listener.port}`;

  it("when a browser connects, then only the adapter's protocol is accepted, and frames go both ways", async () => {
    const socket = new WebSocket(`${socketUrl()}/channels/web/socket`, ["token.secret", "test.v1"]);
    await once(socket, "open");
    expect([socket.protocol, socket.extensions]).toEqual(["test.v1", ""]);
    expect(channel.connections[0]?.protocols).toEqual(["token.secret", "test.v1"]);
    socket.send("hello");
    expect(String((await once(socket, "message"))[0])).toBe("hello");
    socket.terminate();
  });

  it("when the adapter refuses, then the response is plain HTTP, before any upgrade", async () => {
    const socket = new WebSocket(`${socketUrl()}/channels/web/socket`, "test.v1", {
      origin: "http://evil.example",
    });
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(403);
    socket.on("error", () => undefined).terminate();
    expect(channel.connections).toEqual([]);
  });

  it("when a frame exceeds the limit, then its socket closes with 1009 and other sockets stay open (F20)", async () => {
    const url = `${socketUrl()}/channels/web/socket`;
    const [rude, polite] = [new WebSocket(url, "test.v1"), new WebSocket(url, "test.v1")];
    await Promise.all([once(rude, "open"), once(polite, "open")]);
    rude.send("x".repeat(1_001));
    expect((await once(rude, "close"))[0]).toBe(1009);
    polite.send("still here");
    expect(String((await once(polite, "message"))[0])).toBe("still here");
    polite.terminate();
  });

  it("when a socket is requested at another path, then it is refused with 404", async () => {
    const socket = new WebSocket(`${socketUrl()}/channels/none/socket`, "test.v1");
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(404);
    socket.on("error", () => undefined).terminate();
  });

  it("when the server closes, then open sockets do not delay it", async () => {
    const socket = new WebSocket(`${socketUrl()}/channels/web/socket`, "test.v1");
    await once(socket, "open");
    const closed = once(socket, "close");
    await app.close();
    await closed;
  });
});
