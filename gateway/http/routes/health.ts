import type { FastifyInstance } from "fastify";
import type { Readiness } from "../readiness.ts";

interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: object;
}

/**
 * Live: the process answers. Ready: it can take messages, else 503 with the reasons. A channel in trouble is listed as
 * degraded and does not change the status (U6). Undefined: not a health path.
 */
export const healthAnswer = (path: string | undefined, readiness: Readiness): HealthAnswer | undefined => {
  if (path === "/health/live") return { status: 200, body: { live: true } };
  if (path !== "/health/ready") return undefined;
  const reasons = readiness.problems();
  const ready = reasons.length === 0;
  return { status: ready ? 200 : 503, body: { ready, reasons, degraded: readiness.degraded() } };
};

export const healthRoutes = (app: FastifyInstance, readiness: Readiness): void => {
  for (const path of ["/health/live", "/health/ready"]) {
    app.get(path, async (_request, reply) => {
      const answer = healthAnswer(path, readiness);
      return reply.code(answer?.status ?? 503).send(answer?.body);
    });
  }
};
