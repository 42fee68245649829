import type { FastifyInstance } from "fastify";
import type { Meter } from "../../core/contract/telemetry.ts";

/** By route, never by address: a scanner must not be able to make new series. */
export const measureRequests = (app: FastifyInstance, meter: Meter): void => {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    meter.count("http_requests_total", { method: request.method, route, status: String(reply.statusCode) });
    meter.observe("http_request_seconds", reply.elapsedTime / 1000, { route });
    done();
  });
};
