import { randomUUID } from "node:crypto";
import { type FastifyInstance, fastify } from "fastify";
import { isSocketAdapter, isWebhookAdapter } from "../adapters/contract/abilities.ts";
import type { ChannelAdapter } from "../adapters/contract/channel-adapter.ts";
import type { GatewayConfig } from "../config/gateway-config.ts";
import { messageOf } from "../core/contract/app-error.ts";
import { type Clock, systemClock } from "../core/contract/clock.ts";
import type { Logger } from "../core/contract/logger.ts";
import { type AdminGate, adminScope } from "./admin/index.ts";
import { toHttpError } from "./http-error.ts";
import type { HttpListener } from "./http-listener.ts";
import { RETRY_AFTER } from "./http-refusals.ts";
import { limitBodies, limitRequests, warnOfUndeclaredProxy } from "./limits/index.ts";
import { type Metrics, measureRequests } from "./metrics/index.ts";
import type { Readiness } from "./readiness.ts";
import {
  answerNotFound,
  healthRoutes,
  homeRoute,
  localMetricsOnly,
  type MetricsGate,
  metricsRoute,
  socketRoutes,
  webhookRoutes,
} from "./routes/index.ts";
import { addSecurityHeaders } from "./security-headers.ts";

export interface ServerParts {
  readonly listener: HttpListener;
  readonly adapters: readonly ChannelAdapter[];
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /** Absent: only this machine may read them. */
  readonly metricsGate?: MetricsGate;
  readonly logger: Logger;
  readonly clock?: Clock;
  /** Of the gateway that people and platforms reach. */
  readonly limits?: Pick<GatewayConfig, "limits" | "trustedProxies">;
  /** What else is served. */
  readonly routes?: readonly ((app: FastifyInstance) => Promise<void>)[];
  /** What other agents reach; absent if none may call. */
  readonly a2a?: { addRoutes(app: FastifyInstance): Promise<void> } | undefined;
  /** The operators' part; absent where no operator can come. */
  readonly admin?: AdminGate & { addRoutes(scope: FastifyInstance): void };
}

/** Everything the gateway serves. Nothing of a request is logged but its id, method and route. */
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
  a2a,
  admin,
}: ServerParts): Promise<FastifyInstance> => {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: limits && limits.trustedProxies.length > 0 ? limits.trustedProxies : false,
    serverFactory: (handler) => listener.applicationServer(handler),
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 1_000 },
  });

  // no route of the gateway itself takes a body; webhooks have a scope with a parser of their own
  app.removeAllContentTypeParsers();
  addSecurityHeaders(app);
  // Also for an adapter that is still starting, or already stopping.
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
        "a request failed",
      );
    }
    return reply.code(status).send(body);
  });
  app.setNotFoundHandler((request, reply) => answerNotFound(app, request, reply));

  // first: it wraps the handlers of every route that comes after it
  await socketRoutes(app, adapters.filter(isSocketAdapter), logger);
  await webhookRoutes(app, adapters.filter(isWebhookAdapter));
  if (adapters.length > 0) homeRoute(app, adapters);
  for (const addRoutes of routes) await addRoutes(app);
  await a2a?.addRoutes(app);
  if (admin) await adminScope(app, admin, admin.addRoutes);
  healthRoutes(app, readiness);
  metricsRoute(app, metrics, metricsGate);
  await app.ready();
  listener.serve();
  return app;
};
