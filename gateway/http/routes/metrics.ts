import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { MetricsConfig } from "../../../config/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { bearerToken, configuredDigest, digestOf } from "../credentials.ts";
import { isLocalClient, isLoopbackName } from "../limit-requests.ts";
import type { SignInGuard } from "../sign-in-guard.ts";

/** Throws unless the request may read metrics. */
export type MetricsGate = (request: FastifyRequest, reply: FastifyReply) => void;

interface MetricsGateDeps {
  readonly metrics: MetricsConfig;
  /** Of a gateway. A public address means that a proxy is in front, so that requests from loopback may be foreign. */
  readonly publicUrl?: string | undefined;
  /** Throws without the token of an operator. */
  readonly operators: (authorization: string | undefined) => { readonly role: string };
  readonly signIns: SignInGuard;
}

/** Admits programs on this machine, and others with the metrics token or the token of a platform admin. */
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

export const metricsRoute = (app: FastifyInstance, metrics: Metrics, gate: MetricsGate): void => {
  app.get("/metrics", async (request, reply) => {
    gate(request, reply);
    return reply.type(metrics.contentType).send(await metrics.exposition());
  });
};
