import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../../core/contract/app-error.ts";
import type { AgentRef } from "../../../core/contract/messages/addresses.ts";
import { requests } from "../../admin-api/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminEventRoute, adminRoute, checked } from "../admin-request.ts";
import { managedAgent, managedAgents } from "../managed-resources.ts";
import { type FoundTurn, findMessage } from "../trace/find-message.ts";
import { readDeliveries } from "../trace/read-deliveries.ts";
import { readTrace } from "../trace/read-trace.ts";
import { traceEvents } from "../trace/trace-events.ts";

/** The trace of a message, from its intake to each delivery. */
export const traceRoutes = (scope: FastifyInstance, { config, bus, store, clock }: AdminDeps): void => {
  const find = async (
    request: FastifyRequest<{ Params: { id: string } }>,
  ): Promise<{ agentRef: AgentRef; root: FoundTurn }> => {
    const { agent } = checked(requests["GET traces/:id"], request.query);
    for (const agentRef of managedAgents(config, request, agent)) {
      const root = await findMessage(store, agentRef, request.params.id);
      if (root !== undefined) return { agentRef, root };
    }
    throw new AppError(
      "not-found",
      "no message, turn, reply, subtask or trace has this id; traces are stored for seven days",
    );
  };

  adminRoute(scope, "GET traces/:id", async (request) => {
    const { agentRef, root } = await find(request);
    return readTrace(store, agentRef, root);
  });

  adminEventRoute(scope, "GET traces/:id/events", "trace", async (request, signal) => {
    const { agentRef, root } = await find(request);
    const agents = config.agents.filter(({ tenant }) => tenant === agentRef.tenant).map(({ name }) => name);
    return traceEvents({ bus, store, clock, agentRef, root, agents, signal });
  });

  adminRoute(scope, "GET replies/:replyId/deliveries", async (request) => {
    const { agent } = checked(requests["GET replies/:replyId/deliveries"], request.query);
    const agentRef = managedAgent(config, request, agent);
    const found = await readDeliveries(store, agentRef, request.params.replyId);
    // The id alone identifies a reply, so the operator sees only deliveries on channels of the agent.
    return { items: found.filter(({ conversation }) => config.channels[conversation.channel]?.agent === agent) };
  });
};
