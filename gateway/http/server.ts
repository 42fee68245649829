import { randomUUID } from "node:crypto";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { isSocketAdapter, isWebhookAdapter } from "../../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../../adapters/contract/channel-adapter.ts";
import type { GatewayConfig } from "../../config/index.ts";
import { messageOf } from "../../core/contract/app-error.ts";
import { type Clock, systemClock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import type { Meter } from "../../core/contract/ports/telemetry.ts";
import type { Metrics } from "../telemetry/index.ts";
import { httpError, RETRY_AFTER, securityHeaders, toHttpError } from "./error-responses.ts";
import { homeRoute } from "./home.ts";
import type { HttpListener } from "./http-listener.ts";
import { limitBodies, limitRequests, warnOfUndeclaredProxy } from "./limit-requests.ts";
import { localMetricsOnly, type MetricsGate, metricsRoute } from "./metrics.ts";
import { healthRoutes, type Readiness } from "./readiness.ts";
import { socketRoutes } from "./sockets.ts";
import { webhookRoutes } from "./webhooks.ts";

interface ServerDeps {
  readonly listener: HttpListener;
  readonly adapters: readonly ChannelAdapter[];
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Absent: only programs on this machine may read metrics. */
  readonly metricsGate?: MetricsGate;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Absent on a core process, which only operators reach. */
  readonly limits?: Pick<GatewayConfig, "limits" | "trustedProxies">;
  /** The routes of other parts of the gateway, added in this order. */
  readonly routes?: readonly ((app: FastifyInstance) => Promise<void>)[];
  /** The deployment serves its owner only. */
  readonly isPersonal?: boolean;
}

/** Creates the HTTP server. Its logs contain only the id, method and route of a request. */
export const createServer = async ({
  listener,
  adapters,
  readiness,
  metrics,
  metricsGate = localMetricsOnly,
  logger,
  clock = systemClock,
  limits,
  routes = [],
  isPersonal = false,
}: ServerDeps): Promise<FastifyInstance> => {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: limits && limits.trustedProxies.length > 0 ? limits.trustedProxies : false,
    serverFactory: (handler) => listener.applicationServer(handler),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 1_000 },
  });

  // The gateway's own routes accept no body; webhooks and the admin API have scopes with their own parsers.
  app.removeAllContentTypeParsers();
  addSecurityHeaders(app);
  // Includes the 503 of an adapter that is starting or stopping.
  app.addHook("onSend", async (_request, reply) => {
    if (reply.statusCode === 503 && !reply.hasHeader("retry-after")) reply.header("retry-after", RETRY_AFTER);
  });
  measureRequests(app, metrics.meter);
  if (limits) {
    warnOfUndeclaredProxy(app, limits.trustedProxies, logger);
    limitRequests(app, limits.limits, clock);
    limitBodies(app, limits.limits.bodyBytes, clock);
  }
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = toHttpError(error);
    if (status >= 500) {
      const fields = { requestId: request.id, method: request.method, route: request.routeOptions.url };
      logger.error(
        { ...fields, error: messageOf(error), stack: error instanceof Error ? error.stack : undefined },
        "request failed",
      );
    }
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply));

  // First, because it wraps the handlers of all later routes.
  await socketRoutes(app, adapters.filter(isSocketAdapter), logger);
  await webhookRoutes(app, adapters.filter(isWebhookAdapter));
  if (adapters.length > 0) homeRoute(app, adapters, isPersonal);
  for (const addRoutes of routes) await addRoutes(app);
  healthRoutes(app, readiness);
  metricsRoute(app, metrics, metricsGate);
  await app.ready();
  listener.serve();
  return app;
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** 404 for an unknown address; 405 with `Allow` for a known address with another method. */
const answerNotFound = (app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const url = request.url.split("?", 1)[0] ?? "/";
  const allowed = METHODS.filter((method) => app.hasRoute({ method, url }));
  const { status, body } =
    allowed.length === 0
      ? toHttpError({ statusCode: 404 })
      : httpError(405, "method-not-allowed", `This address accepts ${allowed.join(", ")}.`);
  if (allowed.length > 0) reply.header("allow", allowed.join(", "));
  return reply.code(status).send(body);
};

/** Labels requests by route, never by address, because a scanner could create any number of series. */
const measureRequests = (app: FastifyInstance, meter: Meter): void => {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    meter.count("http_requests_total", { method: request.method, route, status: String(reply.statusCode) });
    meter.observe("http_request_seconds", reply.elapsedTime / 1000, { route });
    done();
  });
};

const addSecurityHeaders = (app: FastifyInstance): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeaders).header("x-request-id", request.id);
    done();
  });
};
