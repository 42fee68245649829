import { A2A_CONTENT_TYPE } from "@a2a-js/sdk";
import type { FastifyInstance } from "fastify";
import { KeyedRates, RateLimit, type RateShare } from "../../../adapters/contract/rate-limit.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { SignInGuard } from "../../http/index.ts";
import { toHttpError } from "../../http/index.ts";
import type { CardSigner } from "../agent-card.ts";
import { cardRoutes, type ServedHandler } from "../agent-card.ts";
import { type CallerCheck, mayCall } from "../caller-check.ts";
import { attachCaller, type RouteDeps } from "../request-context.ts";
import { jsonRpcRoute } from "./json-rpc-route.ts";
import { restRoutes } from "./rest-routes.ts";

/** A bus message contains the caller's text three times: as received, as parsed and as prompt. */
const MAX_BODY_BYTES = 160_000;

export type OpenAgent = ServedHandler & Pick<RouteDeps, "refuseIfUnable"> & { readonly tenant: string };

interface ScopeDeps extends Pick<CardSigner, "keys"> {
  readonly signIns: SignInGuard;
  /** Joins the rate limits of callers with other gateways; absent: this one counts alone. */
  readonly callerRates?: RateShare | undefined;
}

/** Some clients append a slash to the base address, so each route also exists with one, behind the same hooks. */
const acceptTrailingSlash = (scope: FastifyInstance): void => {
  scope.addHook("onRoute", (route) => {
    // Fastify adds a HEAD route for every GET route.
    if (route.url.endsWith("/") || route.method === "HEAD") return;
    scope.route({ ...route, url: `${route.url}/` });
  });
};

/** All routes for other agents: public cards, everything else for configured callers only. */
export const a2aScope = async (
  app: FastifyInstance,
  served: readonly OpenAgent[],
  check: CallerCheck,
  { keys, signIns, callerRates, ...deps }: Omit<RouteDeps, "refuseIfUnable"> & ScopeDeps,
): Promise<void> => {
  await app.register(async (scope) => {
    acceptTrailingSlash(scope);
    cardRoutes(scope, served, keys);
  });
  const rates = new KeyedRates(callerRates, deps.clock);
  for (const { agent, tenant, handler, refuseIfUnable } of served) {
    await app.register(async (scope) => {
      acceptTrailingSlash(scope);
      const bodies = { parseAs: "string", bodyLimit: MAX_BODY_BYTES } as const;
      // The routes parse the body, because the protocol defines the error for invalid JSON.
      scope.addContentTypeParser<string>(["application/json", A2A_CONTENT_TYPE], bodies, (_request, body, done) =>
        done(null, body),
      );
      scope.setErrorHandler((error, _request, reply) => {
        const { status, body } = toHttpError(error);
        if (status === 401) reply.header("www-authenticate", 'Bearer realm="mooring"');
        if (status >= 500) deps.logger.error({ error: String(error) }, "a2a request failed");
        return reply.code(status).send(body);
      });
      scope.addHook("onRequest", (request, reply, done) => {
        const caller = signIns.check(request, reply, "a2a", () => check(request.headers));
        const limit = RateLimit.perMinute(caller.requestsPerMinute);
        const waitMs = rates.take(caller.name, limit, deps.clock.monotonic());
        if (waitMs > 0) {
          reply.header("retry-after", Math.ceil(waitMs / 1_000));
          throw new AppError(
            "rate-limited",
            `more than ${caller.requestsPerMinute} requests in a minute: wait a little`,
          );
        }
        if (!mayCall(caller, { name: agent, tenant })) {
          throw new AppError("forbidden", `"${caller.name}" may not call this agent`);
        }
        attachCaller(request, caller);
        done();
      });
      jsonRpcRoute(scope, agent, handler, { ...deps, refuseIfUnable });
      restRoutes(scope, agent, handler, { ...deps, refuseIfUnable });
    });
  }
};
