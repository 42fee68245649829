import type { FastifyInstance } from "fastify";
import { addressKey } from "../adapters/contract/address-key.ts";
import { isLoopback } from "../adapters/contract/is-loopback.ts";
import { KeyedRates } from "../adapters/contract/keyed-rates.ts";
import { RateLimit } from "../adapters/contract/rate-limit.ts";
import type { GatewayLimits } from "../config/gateway-config.ts";
import type { Clock } from "../core/contract/clock.ts";
import { BodyBudget } from "./body-budget.ts";
import { httpError } from "./http-error.ts";

type Limits = Pick<GatewayLimits, "requestsPerSecond" | "requestBurst" | "bodyBytes">;

/** Turns away who asks too often, and everybody whose body would be one too many, before anything of it is read. */
export const limitRequests = (app: FastifyInstance, limits: Limits, clock: Clock): void => {
  const limit = new RateLimit(limits.requestsPerSecond, limits.requestBurst);
  const rates = new KeyedRates();
  const budget = new BodyBudget(limits.bodyBytes);
  app.addHook("onRequest", (request, reply, done) => {
    const waitMs = isLoopback(request.ip) ? 0 : rates.take(addressKey(request.ip), limit, clock.monotonic());
    if (waitMs > 0) {
      const seconds = String(Math.ceil(waitMs / 1_000));
      return void reply.code(429).header("retry-after", seconds).send(TOO_OFTEN.body);
    }
    const bytes = announced(request.headers, request.routeOptions.bodyLimit);
    if (bytes === 0) return done();
    const giveBack = budget.take(request.ip, bytes);
    if (giveBack === undefined) return void reply.code(503).header("retry-after", "2").send(TOO_MUCH.body);
    reply.raw.once("close", giveBack);
    done();
  });
};

/** What a body may take at the most: a client that does not say counts with all that its route allows. */
const announced = (headers: Readonly<Record<string, unknown>>, limit: number | undefined): number => {
  if (headers["transfer-encoding"] !== undefined) return limit ?? 0;
  const length = Number(headers["content-length"] ?? 0);
  return Number.isFinite(length) ? Math.min(length, limit ?? length) : (limit ?? 0);
};

const TOO_OFTEN = httpError(429, "rate-limited", "Too many requests from this address: wait a little.");
const TOO_MUCH = httpError(503, "unavailable", "Too much is being sent at once: try again in a moment.");
