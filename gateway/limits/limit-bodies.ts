import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { allowanceOf } from "../../adapters/contract/address-rates.ts";
import type { Clock, Timer } from "../../core/contract/clock.ts";
import { httpError } from "../http-error.ts";
import { isAuthenticated } from "./authenticated-requests.ts";
import { BodyBudget } from "./body-budget.ts";
import { clientKey } from "./client-address.ts";

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
