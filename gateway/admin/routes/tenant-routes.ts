import type { FastifyInstance } from "fastify";
import { TenantSettings } from "../../../core/a2a/index.ts";
import { requests } from "../../admin-api/index.ts";
import { VERSION } from "../../version.ts";
import { type AdminDeps, checked, noteDetail, operatorOf } from "../admin-request.ts";
import { adminRoute } from "../admin-route.ts";
import { managedAgents, managedTenant, managedTenants } from "../managed-resources.ts";

/** Shown to an operator before async mode is enabled. */
const WHAT_TO_EXPECT = [
  "Agents answer each other later, in turns of their own: people get an announcement first and the result afterwards.",
  "More is asked of the models: every message between agents is a turn.",
  "Answers of other agents may come minutes or hours later, and say then what they are about.",
  "Agents may pass work to and fro; three hops between two of them are the most.",
  "Turning it off works at once: from then on agents wait for each other's answers.",
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
      const message = "this needs a confirmation: read what to expect, and send it again with confirm: true";
      reply.code(409);
      return { error: { code: "conflict", message }, expect: WHAT_TO_EXPECT };
    }
    await settings.setAsync(id, a2aAsync);
    deps.logger.info({ tenant: id, a2aAsync }, "operator changed a tenant");
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
