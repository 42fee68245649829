import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { MetricsConfig } from "../../config/index.ts";
import { AppError } from "../../core/contract/app-error.ts";
import type { Metrics } from "../telemetry/index.ts";
import { isLocalClient, isLoopbackName } from "./limit-requests.ts";
import type { SignInGuard } from "./sign-in-guard.ts";
import { bearerToken, configuredDigest, digestOf } from "./sign-in-guard.ts";

/** Throws if the request may not read metrics. */
export type MetricsGate = (request: FastifyRequest, reply: FastifyReply) => void;

interface MetricsGateDeps {
  /** Read for each request, because a reload may change it. */
  readonly metrics: () => MetricsConfig;
  /** The public address of a gateway. It implies a proxy in front, so requests from loopback may come from outside. */
  readonly publicUrl?: string | undefined;
  /** Throws without the token of an operator. */
  readonly operators: (authorization: string | undefined) => { readonly role: string };
  readonly signIns: SignInGuard;
}

/** Admits programs on this machine, and others with the metrics token or the token of a platform admin. */
export const metricsGate = ({ metrics, publicUrl, operators, signIns }: MetricsGateDeps): MetricsGate => {
  const allowsLocal = publicUrl === undefined || isLoopbackName(new URL(publicUrl).host);
  const verify = (authorization: string | undefined): void => {
    const shown = bearerToken(authorization);
    const { token } = metrics();
    const digest = token && configuredDigest(token.reveal());
    if (digest && shown !== undefined && timingSafeEqual(digest, digestOf(shown))) return;
    if (shown !== undefined && operators(authorization).role === "platform_admin") return;
    throw shown === undefined
      ? refused()
      : new AppError("forbidden", "metrics cover all tenants: use a platform admin's token");
  };
  return (request, reply) => {
    if (metrics().public || (allowsLocal && isLocalClient(request))) return;
    reply.header("www-authenticate", 'Bearer realm="mooring"');
    signIns.check(request, reply, "metrics", () => verify(request.headers.authorization));
    reply.removeHeader("www-authenticate");
  };
};

/** The gate of a server without configuration: programs on this machine only. */
export const localMetricsOnly: MetricsGate = (request) => {
  if (!isLocalClient(request)) throw refused();
};

const refused = (): AppError =>
  new AppError("unauthorised", "send the metrics token, or a platform admin's, as `Authorization: Bearer <token>`");

export const metricsRoute = (app: FastifyInstance, metrics: Metrics, gate: MetricsGate): void => {
  app.get("/metrics", async (request, reply) => {
    gate(request, reply);
    return reply.type(metrics.contentType).send(await metrics.exposition());
  });
};
