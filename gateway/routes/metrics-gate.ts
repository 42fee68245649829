import { timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MetricsConfig } from "../../config/metrics-config.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { bearerToken, type OperatorCheck } from "../admin/index.ts";
import { isLocalClient, isLoopbackName, type SignInGuard } from "../limits/index.ts";
import { configuredDigest, digestOf } from "../secret-digest.ts";

/** Throws unless the request may read metrics. */
export type MetricsGate = (request: FastifyRequest, reply: FastifyReply) => void;

interface MetricsGateDeps {
  readonly metrics: MetricsConfig;
  /** Of a gateway. An address elsewhere means that a proxy is in front, so that loopback may be anybody. */
  readonly publicUrl?: string | undefined;
  readonly operators: OperatorCheck;
  readonly signIns: SignInGuard;
}

/** Programs on this machine may read metrics, everybody else with the metrics token or a platform admin's token. */
export const metricsGate = ({ metrics, publicUrl, operators, signIns }: MetricsGateDeps): MetricsGate => {
  if (metrics.public) return () => undefined;
  const digest = metrics.token && configuredDigest(metrics.token.reveal());
  const localIsOpen = publicUrl === undefined || isLoopbackName(new URL(publicUrl).host);
  const verify = (authorization: string | undefined): void => {
    const shown = bearerToken(authorization);
    if (digest && shown !== undefined && timingSafeEqual(digest, digestOf(shown))) return;
    if (shown !== undefined && operators(authorization).role === "platform_admin") return;
    throw shown === undefined
      ? refused()
      : new AppError("forbidden", "metrics are of all tenants: use a platform admin's token");
  };
  return (request, reply) => {
    if (localIsOpen && isLocalClient(request)) return;
    reply.header("www-authenticate", 'Bearer realm="mooring"');
    signIns.check(request, reply, "metrics", () => verify(request.headers.authorization));
    reply.removeHeader("www-authenticate");
  };
};

/** The gate of a server without configuration: this machine only. */
export const localMetricsOnly: MetricsGate = (request) => {
  if (!isLocalClient(request)) throw refused();
};

const refused = (): AppError =>
  new AppError("unauthorised", "send the metrics token, or a platform admin's, as `Authorization: Bearer <token>`");
