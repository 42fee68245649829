import { A2AError, RequestMalformedError, type RestA2AError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { AppError, messageOf } from "../../core/contract/app-error.ts";
import type { Logger } from "../../core/contract/ports/logger.ts";
import { markFailed } from "./request-context.ts";

/** After this time cores have published their load again, and a probe has checked whether writes work. */
const RETRY_AFTER_S = "5";

/** Asks the caller to retry later. The protocol defines no such error, so both bindings use the HTTP status. */
export abstract class RetryLaterError extends A2AError implements RestA2AError {
  readonly transport = "rest";
  abstract readonly statusCode: number;
  readonly headers = { "retry-after": RETRY_AFTER_S };
}

/** Backpressure: too many messages are waiting. */
class OverloadedError extends RetryLaterError {
  override readonly reason = "RESOURCE_EXHAUSTED";
  override readonly statusCode = 429;
}

/** Writes fail, or the process is stopping. */
class UnavailableError extends RetryLaterError {
  override readonly reason = "UNAVAILABLE";
  override readonly statusCode = 503;
}

/** Text for an internal error; the error's own text never reaches a caller. */
export const UNEXPECTED = "Something went wrong here; the log has the details.";

/** Translates an error into one of the protocol. */
export const protocolError = (error: unknown, logger: Logger): A2AError => {
  if (error instanceof A2AError) return error;
  if (error instanceof AppError) {
    if (error.code === "bad-input") return new RequestMalformedError(error.message);
    if (error.code === "too-large")
      return new RequestMalformedError("The request is too large to store: send less at once.");
    if (error.code === "not-found") return new TaskNotFoundError(error.message);
    if (error.code === "rate-limited") return new OverloadedError(error.message);
    if (error.code === "unavailable" || error.code === "stopped") {
      return new UnavailableError("The agent is temporarily unavailable: send it again in a few seconds.");
    }
  }
  const stack = error instanceof Error ? error.stack : undefined;
  logger.error({ error: messageOf(error), stack }, "a2a request failed");
  return new A2AError(UNEXPECTED);
};

/** Wraps a handler so that it only throws errors of the protocol, which the SDK can encode. */
export const guardedHandler = (handler: A2ARequestHandler, logger: Logger): A2ARequestHandler => {
  const failure = (error: unknown, args: readonly unknown[]) => {
    const context = args.at(-1);
    if (context instanceof ServerCallContext) markFailed(context);
    return protocolError(error, logger);
  };
  const once =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await run.apply(handler, args);
      } catch (error) {
        throw failure(error, args);
      }
    };
  const stream = <Args extends unknown[], Event>(run: (...args: Args) => AsyncGenerator<Event, void, undefined>) =>
    async function* (...args: Args): AsyncGenerator<Event, void, undefined> {
      try {
        yield* run.apply(handler, args);
      } catch (error) {
        throw failure(error, args);
      }
    };
  return {
    getAgentCard: once(handler.getAgentCard),
    getAuthenticatedExtendedAgentCard: once(handler.getAuthenticatedExtendedAgentCard),
    sendMessage: once(handler.sendMessage),
    sendMessageStream: stream(handler.sendMessageStream),
    resubscribe: stream(handler.resubscribe),
    getTask: once(handler.getTask),
    listTasks: once(handler.listTasks),
    cancelTask: once(handler.cancelTask),
    createTaskPushNotificationConfig: once(handler.createTaskPushNotificationConfig),
    getTaskPushNotificationConfig: once(handler.getTaskPushNotificationConfig),
    listTaskPushNotificationConfigs: once(handler.listTaskPushNotificationConfigs),
    deleteTaskPushNotificationConfig: once(handler.deleteTaskPushNotificationConfig),
  };
};
