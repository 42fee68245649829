import {
  A2A_CONTENT_TYPE,
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { RequestMalformedError, restStatusFor, TaskNotFoundError, toRestErrorBody } from "@a2a-js/sdk/errors";
import { type A2ARequestHandler, type ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { agentPath } from "../agent-card.ts";
import { protocolError, RetryLaterError } from "../protocol-error.ts";
import { type RouteDeps, requestContext } from "../request-context.ts";
import { isTooDeep, TOO_DEEP } from "./json-depth.ts";
import { sendEvents } from "./send-events.ts";

const Params = z.object({ id: z.string().default(""), config: z.string().default("") });
const Query = z.record(z.string(), z.string()).catch({});

interface Call {
  readonly context: ServerCallContext;
  readonly id: string;
  readonly config: string;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
}

/** HTTP+JSON routes, written out because the SDK's own are for Express. */
export const restRoutes = (
  scope: FastifyInstance,
  agent: string,
  handler: A2ARequestHandler,
  { clock, logger, refuseIfUnable }: RouteDeps,
): void => {
  const base = agentPath(agent);
  const failure = (error: unknown) => {
    const known = protocolError(error, logger);
    const status = restStatusFor(known);
    const body = toRestErrorBody(known, status);
    if (!(known instanceof RetryLaterError)) return { status, body };
    return { status, headers: known.headers, body: { error: { ...body.error, status: known.reason } } };
  };
  const readCall = async (request: FastifyRequest, reply: FastifyReply): Promise<Call> => {
    const context = requestContext(request, reply);
    validateVersion(context.requestedVersion, await handler.getAgentCard(), "HTTP+JSON");
    const { id, config } = Params.parse(request.params);
    return { context, id, config, body: readBody(request.body), query: Query.parse(request.query) };
  };
  const answering =
    (answer: (call: Call, reply: FastifyReply) => Promise<unknown>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      try {
        const body = await answer(await readCall(request, reply), reply);
        if (reply.sent) return reply;
        reply.type(A2A_CONTENT_TYPE);
        return body === undefined ? reply.code(204).send() : reply.send(JSON.stringify(body));
      } catch (error) {
        const { status, headers = {}, body } = failure(error);
        return reply.code(status).headers(headers).type(A2A_CONTENT_TYPE).send(JSON.stringify(body));
      }
    };
  const acceptingMessage = (answer: Parameters<typeof answering>[0]) =>
    answering(async (call, reply) => {
      refuseIfUnable();
      return answer(call, reply);
    });
  const stream = async (reply: FastifyReply, events: AsyncGenerator<StreamResponse, void, undefined>) =>
    sendEvents(reply, { events: toJson(events), failure, clock });

  scope.get(
    `${base}/extendedAgentCard`,
    answering(async ({ context }) =>
      AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard({ tenant: "" }, context)),
    ),
  );
  scope.post(
    `${base}/message::send`,
    acceptingMessage(async ({ body, context }) => {
      const task = await handler.sendMessage(readAs(SendMessageRequest, body), context);
      return SendMessageResponse.toJSON({ payload: { $case: "task", value: task as Task } });
    }),
  );
  scope.post(
    `${base}/message::stream`,
    acceptingMessage(({ body, context }, reply) =>
      stream(reply, handler.sendMessageStream(readAs(SendMessageRequest, body), context)),
    ),
  );
  scope.get(
    `${base}/tasks`,
    answering(async ({ query, context }) =>
      // The SDK omits empty fields, but its client requires these.
      ({
        tasks: [],
        nextPageToken: "",
        ...(ListTasksResponse.toJSON(await handler.listTasks(listRequest(query), context)) as object),
      }),
    ),
  );
  const onTask = answering(async ({ id: named, query, context }, reply) => {
    const [id = "", action] = named.split(":");
    if (action === "subscribe") return stream(reply, handler.resubscribe({ tenant: "", id }, context));
    const isGet = reply.request.method === "GET";
    if (action === undefined && isGet) {
      return Task.toJSON(
        await handler.getTask({ tenant: "", id, historyLength: numberIn(query.historyLength) }, context),
      );
    }
    if (action === "cancel" && !isGet) {
      return Task.toJSON(await handler.cancelTask({ tenant: "", id, metadata: undefined }, context));
    }
    throw new TaskNotFoundError("this path does not exist");
  });
  scope.get(`${base}/tasks/:id`, onTask);
  scope.post(`${base}/tasks/:id`, onTask);

  const configs = `${base}/tasks/:id/pushNotificationConfigs`;
  scope.post(
    configs,
    answering(async ({ id, body, context }, reply) => {
      const config = readAs(TaskPushNotificationConfig, { ...(body as object), taskId: id });
      const made = await handler.createTaskPushNotificationConfig(config, context);
      reply.code(201);
      return TaskPushNotificationConfig.toJSON(made);
    }),
  );
  scope.get(
    configs,
    answering(async ({ id: taskId, context }) =>
      ListTaskPushNotificationConfigsResponse.toJSON(
        await handler.listTaskPushNotificationConfigs({ tenant: "", taskId, pageSize: 0, pageToken: "" }, context),
      ),
    ),
  );
  scope.get(
    `${configs}/:config`,
    answering(async ({ id: taskId, config: id, context }) =>
      TaskPushNotificationConfig.toJSON(
        await handler.getTaskPushNotificationConfig({ tenant: "", taskId, id }, context),
      ),
    ),
  );
  scope.delete(
    `${configs}/:config`,
    answering(({ id: taskId, config: id, context }) =>
      handler.deleteTaskPushNotificationConfig({ tenant: "", taskId, id }, context),
    ),
  );
};

async function* toJson(
  events: AsyncGenerator<StreamResponse, void, undefined>,
): AsyncGenerator<unknown, void, undefined> {
  for await (const event of events) yield StreamResponse.toJSON(event);
}

/** The SDK's client sends a content type with an empty body for requests without content. */
const readBody = (body: unknown): Record<string, unknown> => {
  const text = typeof body === "string" ? body : "";
  if (text === "") return {};
  let read: Record<string, unknown>;
  try {
    read = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch {
    throw new RequestMalformedError("the body is not a JSON object");
  }
  if (isTooDeep(text, read)) throw new RequestMalformedError(TOO_DEEP);
  return read;
};

/** The SDK throws if it cannot parse the request; its text is not for callers. */
const readAs = <T>(form: { fromJSON(json: unknown): T }, json: unknown): T => {
  try {
    return form.fromJSON(json);
  } catch {
    throw new RequestMalformedError("the request does not match the schema of the method");
  }
};

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined || text === "" ? undefined : Number(text);

const listRequest = ({ pageSize, historyLength, includeArtifacts, ...query }: Call["query"]): ListTasksRequest => ({
  ...readAs(ListTasksRequest, query),
  pageSize: numberIn(pageSize),
  historyLength: numberIn(historyLength),
  includeArtifacts: includeArtifacts === "true",
});
