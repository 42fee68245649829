import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { jsonHeaders } from "./error-responses.ts";

interface PartProblem {
  readonly part: string;
  readonly reason: string;
}

type PartHealth = { ok: true } | { ok: false; reason: string };

export interface Readiness {
  /** Registers a part that is required for readiness. `health` runs on every probe, so it must be cheap. */
  watch(part: string, health: () => PartHealth): void;
  /** Registers a part whose problems are only reported as degraded; the process stays ready. */
  watchOptional(part: string, health: () => PartHealth): void;
  /** Makes the process unready for good, regardless of its parts. */
  stopping(): void;
  /** Empty if the process is ready. */
  problems(): readonly PartProblem[];
  /** Parts that do not work while the process is ready. */
  degraded(): readonly PartProblem[];
}

export const createReadiness = (): Readiness => {
  const required = new Map<string, () => PartHealth>();
  const optional = new Map<string, () => PartHealth>();
  let isStopping = false;
  return {
    watch: (part, health) => void required.set(part, health),
    watchOptional: (part, health) => void optional.set(part, health),
    stopping: () => {
      isStopping = true;
    },
    problems: () => (isStopping ? [{ part: "process", reason: "stopping" }] : problemsOf(required)),
    degraded: () => problemsOf(optional),
  };
};

const problemsOf = (parts: ReadonlyMap<string, () => PartHealth>): PartProblem[] =>
  [...parts].flatMap(([part, health]) => {
    const state = health();
    return state.ok ? [] : [{ part, reason: state.reason }];
  });

interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: object;
}

/**
 * Live: the process responds. Ready: it can accept messages; otherwise 503 with the reasons. A degraded channel is listed
 * and does not change the status (U6). Undefined: not a health path.
 */
const healthAnswer = (path: string | undefined, readiness: Readiness): HealthAnswer | undefined => {
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

/** Answers a health check without Fastify; false if the request is for another path. */
export const answerHealth = (request: IncomingMessage, response: ServerResponse, readiness: Readiness): boolean => {
  const isRead = request.method === "GET" || request.method === "HEAD";
  const health = isRead ? healthAnswer(request.url?.split("?")[0], readiness) : undefined;
  if (health === undefined) return false;
  const text = JSON.stringify(health.body);
  response.writeHead(health.status, { ...jsonHeaders, "content-length": Buffer.byteLength(text) }).end(text);
  return true;
};
