import type { FastifyInstance } from "fastify";
import { allowanceOf } from "../../adapters/contract/is-loopback.ts";
import { KeyedRates } from "../../adapters/contract/keyed-rates.ts";
import { RateLimit } from "../../adapters/contract/rate-limit.ts";
import type { GatewayLimits } from "../../config/gateway-config.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { httpError } from "../http-error.ts";
import { clientKey } from "./client-address.ts";

type Limits = Pick<GatewayLimits, "requestsPerSecond" | "requestBurst">;

/** Refuses requests of an address that sends too many, before anything else looks at them. */
export const limitRequests = (app: FastifyInstance, limits: Limits, clock: Clock): void => {
  const limitFor = (allowance: number) =>
    new RateLimit(limits.requestsPerSecond * allowance, limits.requestBurst * allowance);
  const ofAddress = limitFor(1);
  const ofLoopback = limitFor(allowanceOf("127.0.0.1"));
  const rates = new KeyedRates();
  app.addHook("onRequest", (request, reply, done) => {
    const limit = allowanceOf(request.ip) > 1 ? ofLoopback : ofAddress;
    const waitMs = rates.take(clientKey(request), limit, clock.monotonic());
    if (waitMs === 0) return done();
    const seconds = String(Math.ceil(waitMs / 1_000));
    reply.code(429).header("retry-after", seconds).send(TOO_OFTEN.body);
  });
};

const TOO_OFTEN = httpError(429, "rate-limited", "Too many requests from this address: wait a little.");
