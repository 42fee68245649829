import type { FastifyInstance } from "fastify";
import { type Approval, approvalsOf, isOpen } from "../../../core/approvals/index.ts";
import { otelTraceId } from "../../../core/lib/index.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked } from "../admin-request.ts";
import { managedAgents } from "../managed-resources.ts";
import { pageOf } from "../page.ts";

/** Calls that wait for a person: operators see them, and decide only where people are asked. */
export const approvalRoutes = (scope: FastifyInstance, { config, store }: AdminDeps): void => {
  adminRoute(scope, "GET approvals", async (request) => {
    const { agent, status, ...page } = checked(requests["GET approvals"], request.query);
    const agents = managedAgents(config, request, agent);
    const sources = [...new Set(agents.map(({ tenant }) => tenant))].map((tenant) => ({
      name: tenant,
      list: () => store.list(approvalsOf(tenant)),
    }));
    const isManaged = (approval: Approval) =>
      agents.some((each) => each.tenant === approval.tenant && each.agent === approval.agent);
    return pageOf(sources, page, (approval) =>
      isManaged(approval) && (status === "all" || isOpen(approval)) ? shown(approval) : undefined,
    );
  });
};

type Shown = AnswerTo<"GET approvals">["items"][number];

const shown = (approval: Approval): Shown => {
  const { id, agent, tenant, tool, state, outcome, isDestructive, asked, asker, decidedBy, turnId } = approval;
  const { createdAt, expiresAt, decidedAt, endedAt, traceId } = approval;
  return {
    id,
    agent,
    tenant,
    tool,
    state,
    ...(outcome !== undefined && { outcome }),
    isDestructive,
    channel: asked.audience.conversation.channel,
    asker: asker.name,
    ...(decidedBy !== undefined && { decidedBy: decidedBy.name }),
    createdAt,
    expiresAt,
    ...(decidedAt !== undefined && { decidedAt }),
    ...(endedAt !== undefined && { endedAt }),
    traceId: otelTraceId(traceId),
    turnId,
  };
};
