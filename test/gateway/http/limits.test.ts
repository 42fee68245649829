import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import type { Webhook } from "../../../adapters/contract/abilities.ts";
import { GatewayConfig } from "../../../config/schema/gateway-config.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { type HttpListener, openHttpListener } from "../../../gateway/http/http-listener.ts";
import { createReadiness } from "../../../gateway/http/readiness.ts";
import { createServer } from "../../../gateway/http/server.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { ServedChannel } from "../../fakes/served-channel.ts";

let app: FastifyInstance | undefined;
let listener: HttpListener | undefined;
afterEach(async () => {
  await app?.close();
  await listener?.close();
});

const clock = new ManualClock();
const start = async (
  given: object,
  { trustedProxies = [] as string[], channel = new ServedChannel("web") } = {},
): Promise<FastifyInstance> => {
  const { limits } = GatewayConfig.parse({});
  const readiness = createReadiness();
  listener = await openHttpListener({ host: "127.0.0.1", port: 0 }, readiness);
  const served = { limits: { ...limits, ...given }, trustedProxies };
  app = await createServer({
    listener,
    adapters: [channel],
    readiness,
    metrics: createMetrics(logger),
    logger,
    clock,
    limits: served,
  });
  return app;
};

describe("given a rate limit per address", () => {
  const rate = { requestsPerSecond: 1, requestBurst: 2 };
  const statusOf = async (server: FastifyInstance, remoteAddress: string, headers = {}) =>
    (await server.inject({ url: "/health/live", remoteAddress, headers })).statusCode;

  it("when one address exceeds it, then it gets a 429 with Retry-After, and others are served", async () => {
    const server = await start(rate);
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push(await statusOf(server, "203.0.113.7"));
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await server.inject({ url: "/admin/api/me", remoteAddress: "203.0.113.7" });
    expect(refused.json()).toMatchObject({ error: { code: "rate-limited" } });
    expect(refused.headers).toMatchObject({ "retry-after": "1", "x-frame-options": "DENY" });
    expect(await statusOf(server, "203.0.113.8")).toBe(200);
    clock.advance(1_000);
    expect(await statusOf(server, "203.0.113.7")).toBe(200);
  });

  it("when requests come from one IPv6 network, then they count as one address", async () => {
    const server = await start(rate);
    const addresses = ["2001:db8::1", "2001:db8:0:0:9::2", "2001:db8::3"];
    const statuses = [];
    for (const address of [...addresses, "2001:db8:1::1"]) statuses.push(await statusOf(server, address));
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it("when a trusted proxy forwards a request, then its X-Forwarded-For counts; that of other clients is ignored", async () => {
    const server = await start(rate, { trustedProxies: ["10.0.0.0/8"] });
    const from = (address: string, proxy = "10.0.0.7") => statusOf(server, proxy, { "x-forwarded-for": address });
    expect([await from("198.51.100.1"), await from("198.51.100.1"), await from("198.51.100.1")]).toEqual([
      200, 200, 429,
    ]);
    expect(await from("198.51.100.2")).toBe(200);
    const untrusted = "203.0.113.9";
    expect([
      await from("1.1.1.1", untrusted),
      await from("1.1.1.2", untrusted),
      await from("1.1.1.3", untrusted),
    ]).toEqual([200, 200, 429]);
  });

  it("when this machine sends the requests, then it counts as one address with ten times the limit", async () => {
    const server = await start(rate);
    for (let n = 0; n < 20; n++) expect(await statusOf(server, "127.0.0.1")).toBe(200);
    expect(await statusOf(server, "127.0.0.1")).toBe(429);
    expect(await statusOf(server, "127.0.0.1", { "x-forwarded-for": "198.51.100.1" })).toBe(200);
  });
});

/** A channel whose requests end when the test releases them. */
class SlowChannel extends ServedChannel {
  readonly arrived = new Recorder<() => void>();
  override readonly webhooks: readonly Webhook[] = [
    {
      method: "POST",
      path: "events",
      maxBodyBytes: 100,
      handle: () => new Promise((resolve) => this.arrived.add(() => resolve({ status: 200 }))),
    },
  ];
}

describe("given a limit on the bytes of bodies in memory", () => {
  it("when a body would exceed it, then it is refused, and accepted once another has ended", async () => {
    const channel = new SlowChannel("web");
    const server = await start({ bodyBytes: 100 }, { channel });
    const post = () => server.inject({ method: "POST", url: "/channels/web/events", payload: "x".repeat(60) });
    const first = post();
    const [finishFirst] = await channel.arrived.count(1);
    const refused = await post();
    expect(refused.statusCode).toBe(503);
    expect(refused.headers["retry-after"]).toBe("2");
    finishFirst?.();
    expect((await first).statusCode).toBe(200);
    const second = post();
    (await channel.arrived.count(2))[1]?.();
    expect((await second).statusCode).toBe(200);
  });
});
