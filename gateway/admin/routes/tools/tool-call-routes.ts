import type { FastifyInstance } from "fastify";
import { newestFirst } from "../../../../core/contract/ports/token.ts";
import { otelTraceId } from "../../../../core/lib/index.ts";
import { type AnswerTo, requests } from "../../../admin-api/index.ts";
import { type RecentToolCall, toolCallHours, toolCallsOfHour } from "../../../telemetry/index.ts";
import { type AdminDeps, adminRoute, checked } from "../../admin-request.ts";
import { managedAgents } from "../../managed-resources.ts";
import { timelinePage } from "../../page.ts";

/** The tool calls of the last seven days, the newest first, without arguments and results (R4). */
export const toolCallRoutes = (scope: FastifyInstance, { config, store, clock }: AdminDeps): void => {
  const read = async (hour: string) => {
    const entries: { key: string; value: RecentToolCall }[] = [];
    for await (const { key, value } of store.list(toolCallsOfHour(hour))) {
      // The place in the chunk breaks ties between calls that ended at the same time.
      for (const [index, call] of value.calls.entries())
        entries.push({ key: `${newestFirst(Date.parse(call.endedAt))} ${key} ${index}`, value: call });
    }
    return entries.sort((one, other) => (one.key < other.key ? -1 : 1));
  };

  adminRoute(scope, "GET tool-calls", async (request) => {
    const { agent, outcome, tool, person, ...page } = checked(requests["GET tool-calls"], request.query);
    const agents = managedAgents(config, request, agent);
    const isWanted = (call: RecentToolCall): boolean =>
      (outcome === "all" || call.outcome !== "done") &&
      (tool === undefined || call.tool === tool) &&
      (person === undefined || call.personId === person) &&
      agents.some((each) => each.tenant === call.tenant && each.agent === call.agent);
    return timelinePage({ buckets: toolCallHours(clock.now()), read }, page, (call) =>
      isWanted(call) ? shown(call) : undefined,
    );
  });
};

type Shown = AnswerTo<"GET tool-calls">["items"][number];

const shown = (call: RecentToolCall): Shown => {
  const { id, tenant, agent, tool, server, outcome, durationMs, endedAt, personId, turnId, traceId } = call;
  return {
    id,
    tenant,
    agent,
    tool,
    ...(server !== undefined && { server }),
    outcome: outcome as Shown["outcome"],
    ...(durationMs !== undefined && { durationMs }),
    endedAt,
    personId,
    turnId,
    traceId: otelTraceId(traceId),
  };
};
