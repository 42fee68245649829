import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { httpError, toHttpError } from "../http-error.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Nothing at this address: 404. Something, but not for this method: 405, which says for which. */
export const answerNotFound = (app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const url = request.url.split("?", 1)[0] ?? "/";
  const allowed = METHODS.filter((method) => app.hasRoute({ method, url }));
  const { status, body } =
    allowed.length === 0
      ? toHttpError({ statusCode: 404 })
      : httpError(405, "method-not-allowed", `This address takes ${allowed.join(", ")}.`);
  if (allowed.length > 0) reply.header("allow", allowed.join(", "));
  return reply.code(status).send(body);
};
