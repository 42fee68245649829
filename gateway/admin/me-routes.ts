import type { FastifyInstance } from "fastify";
import { VERSION } from "../version.ts";
import type { AdminParts } from "./admin-parts.ts";
import { managedAgents } from "./managed-agents.ts";
import { mayManage } from "./operator.ts";
import { operatorOf } from "./visit.ts";

/** Who calls, and what they may manage. */
export const meRoutes = (scope: FastifyInstance, { config }: AdminParts): void => {
  scope.get("/admin/api/me", async (request) => {
    const { token: _, ...operator } = operatorOf(request);
    return {
      ...operator,
      version: VERSION,
      tenants: Object.keys(config.tenants).filter((tenant) => mayManage(operatorOf(request), tenant)),
      agents: managedAgents(config, request).map(({ agent, tenant }) => ({ name: agent, tenant })),
    };
  });
};
