import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AnswerTo, Endpoint, ParamsOf, Refusal } from "../admin-api/index.ts";

/** Registers an endpoint. The compiler checks its path, parameters and answer against the API's types. */
export const adminRoute = <E extends Endpoint>(
  scope: FastifyInstance,
  endpoint: E,
  handle: (request: FastifyRequest<{ Params: ParamsOf<E> }>, reply: FastifyReply) => Promise<AnswerTo<E> | Refusal>,
): void => {
  const [method = "", path = ""] = endpoint.split(" ");
  scope.route({ method, url: `/admin/api/${path}`, handler: (request, reply) => handle(request as never, reply) });
};
