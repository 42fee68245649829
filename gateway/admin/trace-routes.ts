import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AppError } from "../../core/contract/app-error.ts";
import type { AdminParts } from "./admin-parts.ts";
import { checked } from "./checked.ts";
import { managedAgent, managedAgents } from "./managed-agents.ts";
import { findMessage } from "./trace/find-message.ts";
import { readDeliveries } from "./trace/read-deliveries.ts";
import { readTrace } from "./trace/read-trace.ts";

const TraceQuery = z.object({ agent: z.string().optional() });
const DeliveriesQuery = z.object({ agent: z.string() });

/** What came of a message, from its intake to each delivery. */
export const traceRoutes = (scope: FastifyInstance, { config, store }: AdminParts): void => {
  scope.get<{ Params: { id: string } }>("/admin/api/traces/:id", async (request) => {
    const { agent } = checked(TraceQuery, request.query);
    for (const place of managedAgents(config, request, agent)) {
      const root = await findMessage(store, place, request.params.id);
      if (root !== undefined) return readTrace(store, place, root);
    }
    throw new AppError("not-found", "nothing is known by this id; a trace is kept for seven days");
  });

  scope.get<{ Params: { replyId: string } }>("/admin/api/replies/:replyId/deliveries", async (request) => {
    const { agent } = checked(DeliveriesQuery, request.query);
    const place = managedAgent(config, request, agent);
    const found = await readDeliveries(store, place, request.params.replyId);
    // A reply is known by its id alone: only what went to the agent's own channels is its operators' to see.
    return { items: found.filter(({ conversation }) => config.channels[conversation.channel]?.agent === agent) };
  });
};
