import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { Logger } from "../../core/contract/logger.ts";
import { noteFailure } from "./call-context.ts";
import { protocolError } from "./protocol-error.ts";

/** The same handler, whose errors are the protocol's: what reads them knows no others. */
export const guardedHandler = (handler: A2ARequestHandler, logger: Logger): A2ARequestHandler => {
  const failure = (error: unknown, args: readonly unknown[]) => {
    const context = args.at(-1);
    if (context instanceof ServerCallContext) noteFailure(context);
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
