import type { FastifyInstance } from "fastify";
import type { Metrics } from "../metrics/create-metrics.ts";

export const metricsRoute = (app: FastifyInstance, metrics: Metrics): void => {
  app.get("/metrics", async (_request, reply) => reply.type(metrics.contentType).send(await metrics.exposition()));
};
