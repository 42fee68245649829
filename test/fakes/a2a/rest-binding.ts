import type { IncomingMessage, ServerResponse } from "node:http";
import {
  A2A_CONTENT_TYPE,
  formatSSEEvent,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  SSE_HEADERS,
  StreamResponse,
  Task,
} from "@a2a-js/sdk";
import { restStatusFor, toRestErrorBody } from "@a2a-js/sdk/errors";
import { type A2ARequestHandler, ServerCallContext } from "@a2a-js/sdk/server";

/** The HTTP+JSON routes that our client uses, below "/rest". */
export const answerRest = async (
  handler: A2ARequestHandler,
  { method, url }: Pick<IncomingMessage, "method" | "url">,
  body: string,
  response: ServerResponse,
): Promise<void> => {
  const context = new ServerCallContext({ requestedVersion: "1.0" });
  const { pathname, searchParams } = new URL(url ?? "", "http://rest");
  const [, id = "", action] = /^\/rest\/tasks\/([^:]+)(?::(\w+))?$/.exec(pathname) ?? [];
  const answer = (json: unknown) =>
    response.writeHead(200, { "content-type": A2A_CONTENT_TYPE }).end(JSON.stringify(json));
  const stream = async (events: AsyncGenerator<StreamResponse, void, undefined>) => {
    response.writeHead(200, SSE_HEADERS);
    for await (const event of events) response.write(formatSSEEvent(StreamResponse.toJSON(event)));
    response.end();
  };
  try {
    if (pathname === "/rest/message:send") {
      const value = (await handler.sendMessage(SendMessageRequest.fromJSON(JSON.parse(body)), context)) as Task;
      answer(SendMessageResponse.toJSON({ payload: { $case: "task", value } }));
    } else if (pathname === "/rest/message:stream") {
      await stream(handler.sendMessageStream(SendMessageRequest.fromJSON(JSON.parse(body)), context));
    } else if (pathname === "/rest/tasks") {
      const request = ListTasksRequest.fromJSON(Object.fromEntries(searchParams));
      answer({ tasks: [], ...(ListTasksResponse.toJSON(await handler.listTasks(request, context)) as object) });
    } else if (action === "subscribe") await stream(handler.resubscribe({ tenant: "", id }, context));
    else if (action === "cancel") {
      answer(Task.toJSON(await handler.cancelTask({ tenant: "", id, metadata: undefined }, context)));
    } else if (id !== "" && method === "GET") {
      const historyLength = Number(searchParams.get("historyLength") ?? 0);
      answer(Task.toJSON(await handler.getTask({ tenant: "", id, historyLength }, context)));
    } else response.writeHead(404).end();
  } catch (error) {
    const status = restStatusFor(error);
    response.writeHead(status, { "content-type": A2A_CONTENT_TYPE });
    response.end(JSON.stringify(toRestErrorBody(error, status)));
  }
};
