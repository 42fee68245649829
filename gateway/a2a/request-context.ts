import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import type { ServerCallContext } from "@a2a-js/sdk/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../core/contract/clock.ts";
import type { Logger } from "../../core/contract/logger.ts";
import { acceptTrace } from "../../core/telemetry/index.ts";
import { callContext } from "./call-context.ts";
import type { Caller } from "./caller-check.ts";

/** What routes work with. */
export interface RouteDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Throws if the agent can take no message: too many wait, or nothing can be stored. */
  readonly refuseIfUnable: () => void;
}

const callers = new WeakMap<FastifyRequest["headers"], Caller>();

export const rememberCaller = ({ headers }: FastifyRequest, caller: Caller): void => void callers.set(headers, caller);

export const versionOf = ({ headers }: FastifyRequest): string | undefined => {
  const version = headers[A2A_VERSION_HEADER.toLowerCase()];
  return typeof version === "string" && version !== "" ? version : undefined;
};

/** Of a request whose caller is known; nobody waits for it any more when its connection closes. */
export const requestContext = (request: FastifyRequest, reply: FastifyReply): ServerCallContext => {
  const caller = callers.get(request.headers);
  if (caller === undefined) throw new Error("a route of the protocol was reached without a caller");
  // No AbortSignal: one for every request costs more than all that it is good for here.
  const whenGone = (listener: () => void) => {
    if (reply.raw.destroyed) listener();
    else reply.raw.once("close", listener);
  };
  const { traceparent, tracestate } = request.headers;
  return callContext(caller, versionOf(request), whenGone, acceptTrace(traceparent, tracestate));
};
