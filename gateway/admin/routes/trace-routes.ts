import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import type { AgentRef } from "../../../core/contract/messages/agent-ref.ts";
import { requests } from "../../admin-api/index.ts";
import { type AdminDeps, checked } from "../admin-request.ts";
import { adminRoute } from "../admin-route.ts";
import { managedAgent, managedAgents } from "../managed-resources.ts";
import { type FoundTurn, findMessage } from "../trace/find-message.ts";
import { readDeliveries } from "../trace/read-deliveries.ts";
import { readTrace } from "../trace/read-trace.ts";
import { traceEvents } from "../trace/trace-events.ts";

/** The trace of a message, from its intake to each delivery. */
export const traceRoutes = (scope: FastifyInstance, { config, bus, store, clock }: AdminDeps): void => {
  const find = async (
    request: FastifyRequest<{ Params: { id: string } }>,
  ): Promise<{ place: AgentRef; root: FoundTurn }> => {
    const { agent } = checked(requests["GET traces/:id"], request.query);
    for (const place of managedAgents(config, request, agent)) {
      const root = await findMessage(store, place, request.params.id);
      if (root !== undefined) return { place, root };
    }
    throw new AppError(
      "not-found",
      "no message, turn, reply, subtask or trace has this id; traces are stored for seven days",
    );
  };

  adminRoute(scope, "GET traces/:id", async (request) => {
    const { place, root } = await find(request);
    return readTrace(store, place, root);
  });

  // A stream, so it is registered without adminRoute; the compiler checks its events only by the type of readTrace.
  scope.get<{ Params: { id: string } }>("/admin/api/traces/:id/events", async (request, reply) => {
    const { place, root } = await find(request);
    const agents = config.agents.filter(({ tenant }) => tenant === place.tenant).map(({ name }) => name);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const events = traceEvents({ bus, store, clock, place, root, agents, signal: left.signal });
    return reply.type("text/event-stream").header("x-accel-buffering", "no").send(Readable.from(events));
  });

  adminRoute(scope, "GET replies/:replyId/deliveries", async (request) => {
    const { agent } = checked(requests["GET replies/:replyId/deliveries"], request.query);
    const place = managedAgent(config, request, agent);
    const found = await readDeliveries(store, place, request.params.replyId);
    // The id alone identifies a reply, so the operator sees only deliveries on channels of the agent.
    return { items: found.filter(({ conversation }) => config.channels[conversation.channel]?.agent === agent) };
  });
};
