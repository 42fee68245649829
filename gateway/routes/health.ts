import type { FastifyInstance } from "fastify";
import type { Readiness } from "../readiness.ts";

/** Live: the process answers. Ready: it can take messages; otherwise 503 with every reason. */
export const healthRoutes = (app: FastifyInstance, readiness: Readiness): void => {
  app.get("/health/live", async () => ({ live: true }));
  app.get("/health/ready", async (_request, reply) => {
    const reasons = readiness.problems();
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons });
  });
};
