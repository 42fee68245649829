import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import { ServerCallContext } from "@a2a-js/sdk/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/contract/app-error.ts";
import type { Clock } from "../../core/contract/ports/clock.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { acceptTrace } from "../../core/lib/index.ts";
import type { Caller } from "./caller-check.ts";

/** Dependencies of the protocol's routes. */
export interface RouteDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Throws if the agent cannot accept messages: too many are waiting, or writes fail. */
  readonly refuseIfUnable: () => void;
}

const callers = new WeakMap<FastifyRequest["headers"], Caller>();

export const attachCaller = ({ headers }: FastifyRequest, caller: Caller): void => void callers.set(headers, caller);

export const versionOf = ({ headers }: FastifyRequest): string | undefined => {
  const version = headers[A2A_VERSION_HEADER.toLowerCase()];
  return typeof version === "string" && version !== "" ? version : undefined;
};

/** The context of an authenticated request. A closed connection counts as a disconnect of the client. */
export const requestContext = (request: FastifyRequest, reply: FastifyReply): ServerCallContext => {
  const caller = callers.get(request.headers);
  if (caller === undefined) throw new Error("a route of the protocol was reached without a caller");
  // A listener instead of an AbortSignal, which is expensive to create for every request.
  const onDisconnect = (listener: () => void) => {
    if (reply.raw.destroyed) listener();
    else reply.raw.once("close", listener);
  };
  const { traceparent, tracestate } = request.headers;
  return callContext(caller, versionOf(request), onDisconnect, acceptTrace(traceparent, tracestate));
};

const CALLER = "mooring.caller";
const DISCONNECT = "mooring.disconnect";
const TRACE = "mooring.trace";
const FAILED = "mooring.failed";

/** Calls the listener when the client disconnects. */
type OnDisconnect = (listener: () => void) => void;

/** Wraps caller, trace and disconnect listener into the SDK's call context. */
const callContext = (
  caller: Caller,
  version: string | undefined,
  onDisconnect: OnDisconnect,
  trace?: string,
): ServerCallContext =>
  new ServerCallContext({
    user: { isAuthenticated: true, userName: caller.name },
    ...(version !== undefined && { requestedVersion: version }),
    state: new Map<string, unknown>([
      [CALLER, caller],
      [DISCONNECT, onDisconnect],
      [TRACE, trace],
    ]),
  });

export const callerIn = (context: ServerCallContext): Caller => {
  const caller = context.state.get(CALLER);
  if (caller === undefined) throw new AppError("unauthorised", "the request has no authenticated caller");
  return caller as Caller;
};

/** The caller's trace, which the work of the request joins. */
export const traceIn = (context: ServerCallContext): string | undefined =>
  context.state.get(TRACE) as string | undefined;

export const onDisconnect = (context: ServerCallContext, listener: () => void): void =>
  (context.state.get(DISCONNECT) as OnDisconnect | undefined)?.(listener);

/** Marks that our handler produced the error, so its text is safe for the caller. */
export const markFailed = (context: ServerCallContext): void => void context.state.set(FAILED, true);
export const hasFailed = (context: ServerCallContext): boolean => context.state.has(FAILED);
