import type { FastifyInstance } from "fastify";
import { fastify } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { MetricsConfig } from "../../../config/schema/observability-config.ts";
import { silentLogger as logger } from "../../../core/contract/ports/logger.ts";
import { silentMeter as meter } from "../../../core/contract/ports/telemetry.ts";
import { Secret } from "../../../core/contract/secret.ts";
import { operatorCheck } from "../../../gateway/admin/operator.ts";
import { toHttpError } from "../../../gateway/http/error-responses.ts";
import { metricsGate, metricsRoute } from "../../../gateway/http/metrics.ts";
import { SignInGuard } from "../../../gateway/http/sign-in-guard.ts";
import { createMetrics } from "../../../gateway/telemetry/create-metrics.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

let app: FastifyInstance;
afterEach(() => app.close());

const operators = operatorCheck(
  [
    { token: new Secret("platform"), role: "platform_admin" },
    { token: new Secret("acme"), role: "org_admin", tenant: "acme" },
  ],
  undefined,
);

const serve = (metrics: object = {}, publicUrl?: string) => {
  app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, body } = toHttpError(error);
    return reply.code(status).send(body);
  });
  const signIns = new SignInGuard({ clock: new ManualClock(), logger, meter });
  const gate = metricsGate({ metrics: () => MetricsConfig.parse(metrics), publicUrl, operators, signIns });
  metricsRoute(app, createMetrics(logger), gate);
};
const ask = async (remoteAddress: string, headers: Record<string, string> = {}) =>
  (await app.inject({ url: "/metrics", remoteAddress, headers: { host: "localhost:8080", ...headers } })).statusCode;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("given metrics, which contain names of tenants, agents and channels", () => {
  it("when another machine requests them, then it needs the token of a platform admin or the metrics token (U4)", async () => {
    serve({ token: "for-prometheus" });
    expect(await ask("203.0.113.7")).toBe(401);
    expect(await ask("203.0.113.7", bearer("for-prometheus"))).toBe(200);
    expect(await ask("203.0.113.7", bearer("platform"))).toBe(200);
    expect(await ask("203.0.113.7", bearer("acme"))).toBe(403);
    expect(await ask("203.0.113.7", bearer("wrong"))).toBe(401);
  });

  it("when a program on this machine requests them directly, then it gets them; through a proxy it does not", async () => {
    serve();
    expect(await ask("127.0.0.1")).toBe(200);
    expect(await ask("::1", { host: "[::1]:8080" })).toBe(200);
    expect(await ask("127.0.0.1", { "x-forwarded-for": "198.51.100.9" })).toBe(401);
    expect(await ask("127.0.0.1", { host: "chat.example.com" })).toBe(401);
    expect(await ask("127.0.0.1", { host: "chat.example.com", ...bearer("platform") })).toBe(200);
  });

  it("when a public address is configured, which implies a proxy, then loopback needs a token too", async () => {
    serve({}, "https://chat.example.com");
    expect(await ask("127.0.0.1")).toBe(401);
    await app.close();
    serve({}, "http://localhost:9000");
    expect(await ask("127.0.0.1")).toBe(200);
  });

  it("when they are configured as public, then no token is needed", async () => {
    serve({ public: true });
    expect(await ask("203.0.113.7")).toBe(200);
  });

  it("when tokens are guessed, then the address is rate limited (R3)", async () => {
    serve({ token: "for-prometheus" });
    for (let n = 0; n < 10; n++) await ask("203.0.113.7", bearer(`guess-${n}`));
    expect(await ask("203.0.113.7", bearer("guess"))).toBe(429);
  });
});
