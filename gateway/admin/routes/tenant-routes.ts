import type { FastifyInstance } from "fastify";
import { TenantSettings } from "../../../core/a2a/index.ts";
import { requests } from "../../admin-api/index.ts";
import { VERSION } from "../../version.ts";
import type { AdminDeps } from "../admin-request.ts";
import { adminRoute, checked, noteDetail, operatorOf } from "../admin-request.ts";
import { managedAgents, managedTenant, managedTenants } from "../managed-resources.ts";

/** Shown to an operator before async mode is enabled. */
const CONSEQUENCES = [
  "Agents answer each other asynchronously, in separate turns: people first get an announcement, and the result later.",
  "Model usage increases: every message between agents is a turn.",
  "Answers of other agents may arrive minutes or hours later; each then names the request that it answers.",
  "Agents may pass work back and forth, up to three hops between two agents.",
  "Turning it off takes effect at once: agents then wait for each other's answers.",
];

/** Tenants and their settings, for operators who may manage them (A2). */
export const tenantRoutes = (scope: FastifyInstance, { config, ...deps }: AdminDeps): void => {
  const settings = new TenantSettings(deps, config.tenants);
  const shown = async (id: string) => ({ id, a2aAsync: await settings.isAsync(id) });

  adminRoute(scope, "GET tenants", async (request) => ({
    items: await Promise.all(managedTenants(config, request).map(shown)),
  }));

  adminRoute(scope, "GET tenants/:id", async (request) => shown(managedTenant(config, request, request.params.id)));

  adminRoute(scope, "PATCH tenants/:id", async (request, reply) => {
    const id = managedTenant(config, request, request.params.id);
    const { a2aAsync, confirm } = checked(requests["PATCH tenants/:id"], request.body);
    noteDetail(request, { a2aAsync });
    if (a2aAsync && !confirm && !(await settings.isAsync(id))) {
      const message =
        "turning on a2aAsync needs a confirmation: read the consequences in `expect`, then send it again with confirm: true";
      reply.code(409);
      return { error: { code: "conflict", message }, expect: CONSEQUENCES };
    }
    await settings.setAsync(id, a2aAsync);
    deps.logger.info({ tenant: id, a2aAsync }, "tenant setting changed by operator");
    return shown(id);
  });
};

/** The calling operator, and the tenants and agents that they may manage. */
export const meRoutes = (scope: FastifyInstance, { config }: AdminDeps): void => {
  adminRoute(scope, "GET me", async (request) => {
    const { token: _, ...operator } = operatorOf(request);
    return {
      ...operator,
      version: VERSION,
      tenants: managedTenants(config, request),
      agents: managedAgents(config, request).map(({ agent, tenant }) => ({ name: agent, tenant })),
    };
  });
};
