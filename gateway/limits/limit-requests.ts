import type { FastifyInstance } from "fastify";
import { AddressRates } from "../../adapters/contract/address-rates.ts";
import type { GatewayLimits } from "../../config/gateway-config.ts";
import type { Clock } from "../../core/contract/clock.ts";
import { httpError } from "../http-error.ts";
import { clientKey } from "./client-address.ts";

type Limits = Pick<GatewayLimits, "requestsPerSecond" | "requestBurst">;

/** Refuses requests of an address that sends too many, before anything else looks at them. */
export const limitRequests = (app: FastifyInstance, limits: Limits, clock: Clock): void => {
  const rates = new AddressRates(limits.requestsPerSecond, limits.requestBurst);
  app.addHook("onRequest", (request, reply, done) => {
    const waitMs = rates.take(request.ip, clock.monotonic(), clientKey(request));
    if (waitMs === 0) return done();
    const seconds = String(Math.ceil(waitMs / 1_000));
    reply.code(429).header("retry-after", seconds).send(TOO_OFTEN.body);
  });
};

const TOO_OFTEN = httpError(429, "rate-limited", "Too many requests from this address: wait a little.");
