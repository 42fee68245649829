import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics/index.ts";
import type { MetricsGate } from "./metrics-gate.ts";

export const metricsRoute = (app: FastifyInstance, metrics: Metrics, gate: MetricsGate): void => {
  app.get("/metrics", async (request, reply) => {
    gate(request, reply);
    return reply.type(metrics.contentType).send(await metrics.exposition());
  });
};
