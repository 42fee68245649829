import { A2A_CONTENT_TYPE } from "@a2a-js/sdk";
import type { FastifyInstance } from "fastify";
import { KeyedRates, RateLimit } from "../../adapters/contract/rate-limit.ts";
import { AppError } from "../../core/contract/app-error.ts";
import { toHttpError } from "../http-error.ts";
import type { SignInGuard } from "../limits/index.ts";
import type { CallerCheck } from "./caller-check.ts";
import { mayCall } from "./caller-check.ts";
import type { ServedHandler } from "./card-routes.ts";
import { cardRoutes } from "./card-routes.ts";
import type { CardSigner } from "./card-signer.ts";
import { jsonRpcRoute } from "./json-rpc-route.ts";
import type { RouteDeps } from "./request-context.ts";
import { rememberCaller } from "./request-context.ts";
import { restRoutes } from "./rest-routes.ts";

/** Its words are in a message of the bus three times: as they came, as they are read, and as they are told. */
const MAX_BODY_BYTES = 160_000;

export type OpenAgent = ServedHandler & Pick<RouteDeps, "refuseIfUnable">;

interface ScopeDeps extends Pick<CardSigner, "keys"> {
  readonly signIns: SignInGuard;
}

/** Clients that join paths to a base address ask for "/a2a/agent/" as well as for "/a2a/agent". The scope's hooks apply. */
const acceptTrailingSlash = (scope: FastifyInstance): void => {
  scope.addHook("onRoute", (route) => {
    // Fastify adds HEAD to every GET by itself.
    if (route.url.endsWith("/") || route.method === "HEAD") return;
    scope.route({ ...route, url: `${route.url}/` });
  });
};

/** Everything that other agents reach: cards for anybody, the rest for callers that are declared. */
export const a2aScope = async (
  app: FastifyInstance,
  served: readonly OpenAgent[],
  check: CallerCheck,
  { keys, signIns, ...parts }: Omit<RouteDeps, "refuseIfUnable"> & ScopeDeps,
): Promise<void> => {
  await app.register(async (scope) => {
    acceptTrailingSlash(scope);
    cardRoutes(scope, served, keys);
  });
  const rates = new KeyedRates();
  for (const { agent, handler, refuseIfUnable } of served) {
    await app.register(async (scope) => {
      acceptTrailingSlash(scope);
      const bodies = { parseAs: "string", bodyLimit: MAX_BODY_BYTES } as const;
      // Read by the routes themselves: what is no JSON is a matter of the protocol too.
      scope.addContentTypeParser<string>(["application/json", A2A_CONTENT_TYPE], bodies, (_request, body, done) =>
        done(null, body),
      );
      scope.setErrorHandler((error, _request, reply) => {
        const { status, body } = toHttpError(error);
        if (status === 401) reply.header("www-authenticate", 'Bearer realm="mooring"');
        if (status >= 500) parts.logger.error({ error: String(error) }, "a request of another agent failed");
        return reply.code(status).send(body);
      });
      scope.addHook("onRequest", (request, reply, done) => {
        const caller = signIns.check(request, reply, "a2a", () => check(request.headers));
        const limit = RateLimit.perMinute(caller.requestsPerMinute);
        const waitMs = rates.take(caller.name, limit, parts.clock.monotonic());
        if (waitMs > 0) {
          reply.header("retry-after", Math.ceil(waitMs / 1_000));
          throw new AppError(
            "rate-limited",
            `more than ${caller.requestsPerMinute} requests in a minute: wait a little`,
          );
        }
        if (!mayCall(caller, agent)) throw new AppError("forbidden", `"${caller.name}" may not call this agent`);
        rememberCaller(request, caller);
        done();
      });
      jsonRpcRoute(scope, agent, handler, { ...parts, refuseIfUnable });
      restRoutes(scope, agent, handler, { ...parts, refuseIfUnable });
    });
  }
};
