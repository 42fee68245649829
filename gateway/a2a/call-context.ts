import { ServerCallContext } from "@a2a-js/sdk/server";
import { AppError } from "../../core/contract/app-error.ts";
import type { Caller } from "./caller-check.ts";

const CALLER = "mooring.caller";
const GONE = "mooring.gone";
const TRACE = "mooring.trace";
const FAILED = "mooring.failed";

/** Calls the listener when nobody waits for the answer any more. */
type WhenGone = (listener: () => void) => void;

/** What a request brings along besides its words. */
export const callContext = (
  caller: Caller,
  version: string | undefined,
  whenGone: WhenGone,
  trace?: string,
): ServerCallContext =>
  new ServerCallContext({
    user: { isAuthenticated: true, userName: caller.name },
    ...(version !== undefined && { requestedVersion: version }),
    state: new Map<string, unknown>([
      [CALLER, caller],
      [GONE, whenGone],
      [TRACE, trace],
    ]),
  });

export const callerIn = (context: ServerCallContext): Caller => {
  const caller = context.state.get(CALLER);
  if (caller === undefined) throw new AppError("unauthorised", "nobody is known to call");
  return caller as Caller;
};

/** The caller's trace, as the work that the request begins carries it. */
export const traceIn = (context: ServerCallContext): string | undefined =>
  context.state.get(TRACE) as string | undefined;

export const whenGone = (context: ServerCallContext, listener: () => void): void =>
  (context.state.get(GONE) as WhenGone | undefined)?.(listener);

/** The request was read, and could not be done: what its caller is told of that are our own words. */
export const noteFailure = (context: ServerCallContext): void => void context.state.set(FAILED, true);
export const hasFailed = (context: ServerCallContext): boolean => context.state.has(FAILED);
