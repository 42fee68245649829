import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import type { AdminDeps } from "../admin-request.ts";
import { checked } from "../admin-request.ts";
import type { ManagedAgent } from "../managed-agents.ts";
import { managedAgent, managedAgents } from "../managed-agents.ts";
import type { FoundTurn } from "../trace/find-message.ts";
import { findMessage } from "../trace/find-message.ts";
import { readDeliveries } from "../trace/read-deliveries.ts";
import { readTrace } from "../trace/read-trace.ts";
import { traceEvents } from "../trace/trace-events.ts";

const TraceQuery = z.object({ agent: z.string().optional() });
type ById = { Params: { id: string } };
const DeliveriesQuery = z.object({ agent: z.string() });

/** The trace of a message, from its intake to each delivery. */
export const traceRoutes = (scope: FastifyInstance, { config, bus, store, clock }: AdminDeps): void => {
  const find = async (request: FastifyRequest<ById>): Promise<{ place: ManagedAgent; root: FoundTurn }> => {
    const { agent } = checked(TraceQuery, request.query);
    for (const place of managedAgents(config, request, agent)) {
      const root = await findMessage(store, place, request.params.id);
      if (root !== undefined) return { place, root };
    }
    throw new AppError("not-found", "nothing is known by this id; a trace is kept for seven days");
  };

  scope.get<ById>("/admin/api/traces/:id", async (request) => {
    const { place, root } = await find(request);
    return readTrace(store, place, root);
  });

  scope.get<ById>("/admin/api/traces/:id/events", async (request, reply) => {
    const { place, root } = await find(request);
    const agents = config.agents.filter(({ tenant }) => tenant === place.tenant).map(({ name }) => name);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const events = traceEvents({ bus, store, clock, place, root, agents, signal: left.signal });
    return reply.type("text/event-stream").header("x-accel-buffering", "no").send(Readable.from(events));
  });

  scope.get<{ Params: { replyId: string } }>("/admin/api/replies/:replyId/deliveries", async (request) => {
    const { agent } = checked(DeliveriesQuery, request.query);
    const place = managedAgent(config, request, agent);
    const found = await readDeliveries(store, place, request.params.replyId);
    // The id alone identifies a reply, so the operator sees only deliveries on channels of the agent.
    return { items: found.filter(({ conversation }) => config.channels[conversation.channel]?.agent === agent) };
  });
};
