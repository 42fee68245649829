import type { FastifyInstance } from "fastify";
import { TenantSettings } from "../../../core/a2a/index.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import { requests } from "../../admin-api/index.ts";
import { VERSION } from "../../version.ts";
import { type AdminDeps, type AdminRequest, checked, mayUse, noteDetail, operatorOf } from "../admin-request.ts";
import { adminRoute } from "../admin-route.ts";
import { managedAgents } from "../managed-agents.ts";
import { mayManage } from "../operator.ts";

/** Shown to an operator before async mode is enabled. */
const WHAT_TO_EXPECT = [
  "Agents answer each other later, in turns of their own: people get an announcement first and the result afterwards.",
  "More is asked of the models: every message between agents is a turn.",
  "Answers of other agents may come minutes or hours later, and say then what they are about.",
  "Agents may pass work to and fro; three hops between two of them are the most.",
  "Turning it off works at once: from then on agents wait for each other's answers.",
];

/** Tenants and their settings, for operators who may manage them (A2). */
export const tenantRoutes = (scope: FastifyInstance, { config, ...parts }: AdminDeps): void => {
  const settings = new TenantSettings(parts, config.tenants);
  const names = Object.keys(config.tenants);
  const shown = async (id: string) => ({ id, a2aAsync: await settings.isAsync(id) });
  const managed = (request: AdminRequest, id: string): string => {
    if (names.includes(id) && mayUse(request, id)) return id;
    throw new AppError("not-found", `there is no tenant "${id.slice(0, 60)}" that you may manage`);
  };

  adminRoute(scope, "GET tenants", async (request) => ({
    items: await Promise.all(names.filter((id) => mayManage(operatorOf(request), id)).map(shown)),
  }));

  adminRoute(scope, "GET tenants/:id", async (request) => shown(managed(request, request.params.id)));

  adminRoute(scope, "PATCH tenants/:id", async (request, reply) => {
    const id = managed(request, request.params.id);
    const { a2aAsync, confirm } = checked(requests["PATCH tenants/:id"], request.body);
    noteDetail(request, { a2aAsync });
    if (a2aAsync && !confirm && !(await settings.isAsync(id))) {
      const message = "this needs a confirmation: read what to expect, and send it again with confirm: true";
      reply.code(409);
      return { error: { code: "conflict", message }, expect: WHAT_TO_EXPECT };
    }
    await settings.setAsync(id, a2aAsync);
    parts.logger.info({ tenant: id, a2aAsync }, "operator changed a tenant");
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
      tenants: Object.keys(config.tenants).filter((tenant) => mayManage(operatorOf(request), tenant)),
      agents: managedAgents(config, request).map(({ agent, tenant }) => ({ name: agent, tenant })),
    };
  });
};
