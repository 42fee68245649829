import type { FastifyInstance } from "fastify";
import { type Approval, approvalsOf, openApprovalsOf } from "../../../../core/approvals/index.ts";
import { otelTraceId } from "../../../../core/lib/index.ts";
import { type AnswerTo, requests } from "../../../admin-api/index.ts";
import type { AdminDeps } from "../../admin-request.ts";
import { adminRoute, checked } from "../../admin-request.ts";
import { managedAgents } from "../../managed-resources.ts";
import { pageOf } from "../../page.ts";

/** Calls that wait for a person: operators see them, and decide only where people are asked. */
export const approvalRoutes = (scope: FastifyInstance, { config, store }: AdminDeps): void => {
  /** The one that has waited longest first. */
  async function* openOf(tenant: string) {
    const open = await openApprovalsOf(store, tenant);
    for (const value of open) yield { key: `${value.createdAt} ${value.id}`, value };
  }

  adminRoute(scope, "GET approvals", async (request) => {
    const { agent, status, ...page } = checked(requests["GET approvals"], request.query);
    const agents = managedAgents(config, request, agent);
    const tenants = [...new Set(agents.map(({ tenant }) => tenant))];
    const sources = tenants.map((tenant) => ({
      name: tenant,
      list: () => (status === "all" ? store.list(approvalsOf(tenant)) : openOf(tenant)),
    }));
    const isManaged = (approval: Approval) =>
      agents.some((each) => each.tenant === approval.tenant && each.agent === approval.agent);
    return pageOf(sources, page, (approval) => (isManaged(approval) ? shown(approval) : undefined));
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
