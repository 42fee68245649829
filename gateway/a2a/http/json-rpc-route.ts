import { A2A_LEGACY_PROTOCOL_VERSION } from "@a2a-js/sdk/compat/v0_3";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { A2A_ERROR_CODE, A2AError } from "@a2a-js/sdk/errors";
import { type A2ARequestHandler, JsonRpcTransportHandler, validateVersion } from "@a2a-js/sdk/server";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Logger } from "../../../core/contract/ports/logger.ts";
import { agentPath } from "../agent-card.ts";
import { protocolError, RetryLaterError, UNEXPECTED } from "../protocol-error.ts";
import { hasFailed, type RouteDeps, requestContext, versionOf } from "../request-context.ts";
import { isTooDeep, TOO_DEEP } from "./json-depth.ts";
import { sendEvents } from "./send-events.ts";

/** Only the envelope; each method checks its own `params`. */
const Envelope = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z.string().min(1),
  id: z.union([z.string(), z.int(), z.null()]).optional(),
});

/** Method names of both protocol versions. */
const SENDS_MESSAGE = new Set(["SendMessage", "SendStreamingMessage", "message/send", "message/stream"]);

interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** JSON-RPC route for both protocol versions. Protocol errors have status 200, except those that ask for a retry. */
export const jsonRpcRoute = (
  scope: FastifyInstance,
  agent: string,
  handler: A2ARequestHandler,
  { clock, logger, refuseIfUnable }: RouteDeps,
): void => {
  const current = new JsonRpcTransportHandler(handler);
  const legacy = new LegacyJsonRpcTransportHandler(handler);
  scope.post(agentPath(agent), async (request, reply) => {
    const text = typeof request.body === "string" ? request.body : "";
    const body = readJson(text);
    if (body === undefined) return refusal(null, A2A_ERROR_CODE.PARSE_ERROR, "the body is not valid JSON");
    const envelope = Envelope.safeParse(body);
    if (!envelope.success) {
      const problems = envelope.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
      return refusal(
        null,
        A2A_ERROR_CODE.INVALID_REQUEST,
        `the body is not a JSON-RPC 2.0 request: ${problems.join("; ")}`,
      );
    }
    const { id = null } = envelope.data;
    if (isTooDeep(text, body)) return refusal(id, A2A_ERROR_CODE.INVALID_PARAMS, TOO_DEEP);
    const version = versionOf(request);
    const isLegacy = version === undefined || version === A2A_LEGACY_PROTOCOL_VERSION;
    const failure = (error: unknown) => ({
      status: 200,
      body: { jsonrpc: "2.0", id, error: errorFor(error, isLegacy) },
    });
    const context = requestContext(request, reply);
    try {
      validateVersion(context.requestedVersion, await handler.getAgentCard(), "JSONRPC");
      if (SENDS_MESSAGE.has(envelope.data.method)) refuseIfUnable();
    } catch (error) {
      const known = protocolError(error, logger);
      if (known instanceof RetryLaterError) reply.code(known.statusCode).headers(known.headers);
      return failure(known).body;
    }
    const answer = await (isLegacy ? legacy : current).handle(envelope.data, context);
    if (Symbol.asyncIterator in answer) {
      await sendEvents(reply, { events: answer, failure, clock });
      return reply;
    }
    return hasFailed(context) ? answer : redactParseError(answer, logger);
  });
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const refusal = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

const errorFor = (error: unknown, isLegacy: boolean): unknown => {
  const known = error instanceof A2AError ? error : new A2AError(UNEXPECTED);
  if (isLegacy) return LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(known);
  return JsonRpcTransportHandler.mapToJSONRPCError(known);
};

const Internal = z.object({ code: z.literal(A2A_ERROR_CODE.INTERNAL_ERROR), message: z.string() });

/** An internal error of the SDK means that it could not parse the request; its text is not for callers. */
const redactParseError = (answer: RpcAnswer, logger: Logger): RpcAnswer => {
  if (answer.error === undefined) return answer;
  const internal = Internal.safeParse(answer.error).data;
  if (internal === undefined) return answer;
  logger.debug({ error: internal.message }, "could not parse a2a request");
  return {
    ...answer,
    error: { code: A2A_ERROR_CODE.INVALID_PARAMS, message: "the params do not match the schema of the method" },
  };
};
