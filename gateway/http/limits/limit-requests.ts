import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AddressRates, allowanceOf } from "../../../adapters/contract/address-rates.ts";
import type { GatewayLimits } from "../../../config/index.ts";
import type { Clock, Timer } from "../../../core/contract/clock.ts";
import { httpError } from "../http-error.ts";
import { BodyBudget } from "./body-budget.ts";
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

const CHECK_EVERY_MS = 1_000;

/** Counts request bodies as they arrive; refuses those that have no room and cuts those that stall (F38). */
export const limitBodies = (app: FastifyInstance, maxBytes: number, clock: Clock): void => {
  const budget = new BodyBudget(maxBytes);
  let timer: Timer | undefined;
  const check = () => {
    budget.cutStalled(clock.monotonic());
    timer = budget.arriving > 0 ? clock.after(CHECK_EVERY_MS, check) : undefined;
  };
  app.addHook("onClose", async () => timer?.cancel());
  // Fastify attaches its own parser in the same tick, so no chunk is missed there.
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (hasBody(request)) {
      const body = budget.begin(senderOf(request), clock.monotonic(), () => refuse(reply, TOO_SLOW));
      payload.on("data", (chunk: Buffer) => {
        if (!body.receive(chunk.length, clock.monotonic())) refuse(reply, TOO_MUCH);
      });
      payload.once("end", body.complete);
      reply.raw.once("close", body.release);
      timer ??= clock.after(CHECK_EVERY_MS, check);
    }
    done(null, payload);
  });
};

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const senderOf = (request: FastifyRequest) => ({
  key: clientKey(request),
  allowance: allowanceOf(request.ip),
  isAuthenticated: isAuthenticated(request),
});

/** The connection is closed after the answer: the rest of the body would follow on it. */
const refuse = (reply: FastifyReply, { status, body }: ReturnType<typeof httpError>): void => {
  if (reply.sent) return;
  reply.code(status).header("connection", "close").header("retry-after", "2").send(body);
};

const TOO_SLOW = httpError(408, "timeout", "The body arrives too slowly.");
const TOO_MUCH = httpError(503, "unavailable", "Too much is being sent at once: try again in a moment.");

const authenticated = new WeakSet<IncomingHttpHeaders>();

/** The request has shown a valid credential in its headers. Its headers object stands for it everywhere. */
export const markAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): void =>
  void authenticated.add(headers);

export const isAuthenticated = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  authenticated.has(headers);
