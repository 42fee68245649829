import type { FastifyInstance } from "fastify";
import { ledgerOfDay, limitOf, type ModelUse, usesOfDay } from "../../../core/budgets/index.ts";
import { dayOf } from "../../../core/contract/ports/clock.ts";
import { keyParts } from "../../../core/contract/ports/store.ts";
import { readPerson } from "../../../core/people/index.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { budgetRules } from "../../agent-config.ts";
import { type AdminDeps, type AdminRequest, adminRoute, checked } from "../admin-request.ts";
import { managedTenant, managedTenants } from "../managed-resources.ts";
import { pageOf, refOf } from "../page.ts";

type AgentUse = AnswerTo<"GET use/totals">["items"][number];
type ShownUse = AnswerTo<"GET use">["items"][number]["models"][number];

/** Use and cost by day: per person, per agent and model, and of each budget (R2). */
export const useRoutes = (scope: FastifyInstance, deps: AdminDeps): void => {
  const { config, store, clock } = deps;
  const tenantsOf = (request: AdminRequest, requested: string | undefined): string[] =>
    requested === undefined ? managedTenants(config, request) : [managedTenant(config, request, requested)];
  const nameOf = async (tenant: string, personId: string): Promise<{ name?: string }> => {
    const person = (await readPerson(store, tenant, personId))?.person;
    const name = person?.name ?? person?.accounts[0]?.name;
    return name === undefined ? {} : { name };
  };

  adminRoute(scope, "GET use", async (request) => {
    const { tenant: requested, day = dayOf(clock.now()), ...page } = checked(requests["GET use"], request.query);
    const sources = tenantsOf(request, requested).map((tenant) => ({
      name: tenant,
      list: () => store.list(usesOfDay(tenant, day)),
    }));
    return pageOf(sources, page, async ({ models }, key) => {
      const [tenant = "", , agent = "", personId = ""] = keyParts(key);
      return {
        ref: refOf(key),
        day,
        tenant,
        agent,
        personId,
        ...(await nameOf(tenant, personId)),
        models: Object.entries(models).map(([model, use]) => shownUse(model, use)),
      };
    });
  });

  adminRoute(scope, "GET use/totals", async (request) => {
    const { tenant: requested, day = dayOf(clock.now()) } = checked(requests["GET use/totals"], request.query);
    const totals = new Map<string, AgentUse>();
    for (const tenant of tenantsOf(request, requested)) {
      for await (const { key, value } of store.list(usesOfDay(tenant, day))) {
        const [, , agent = ""] = keyParts(key);
        for (const [model, use] of Object.entries(value.models)) {
          const name = JSON.stringify([tenant, agent, model]);
          totals.set(name, added(totals.get(name) ?? { ...nothing, day, tenant, agent, model }, shownUse(model, use)));
        }
      }
    }
    return { items: [...totals.values()] };
  });

  adminRoute(scope, "GET budgets", async (request) => {
    const { tenant: requested, day = dayOf(clock.now()), ...page } = checked(requests["GET budgets"], request.query);
    const sources = tenantsOf(request, requested).map((tenant) => ({
      name: tenant,
      list: () => store.list(ledgerOfDay(tenant, day)),
    }));
    return pageOf(sources, page, async ({ taken, lifted = false }, key) => {
      const [tenant = "", , holder = "", name = "", subject = ""] = keyParts(key);
      const agent = holder.startsWith("agent/") ? holder.slice("agent/".length) : undefined;
      const configured = config.agents.find((each) =>
        agent === undefined ? each.tenant === tenant : each.name === agent,
      );
      const rules = configured && budgetRules(config, configured);
      return {
        ref: refOf(key),
        day,
        tenant,
        ...(agent !== undefined && { agent }),
        scope: name,
        ...(subject !== name && { subject, ...(await nameOf(tenant, subject)) }),
        limits: Object.entries(taken).map(([resource, amount]) => {
          const limit = rules && limitOf(agent === undefined ? rules.ofTenant : rules.ofAgent, name, resource);
          return {
            resource,
            taken: inUnits(resource, amount),
            ...(limit !== undefined && { limit: inUnits(resource, limit) }),
          };
        }),
        lifted,
      };
    });
  });
};

const MICRO = 1_000_000;

const inUnits = (resource: string, amount: number): number => (resource === "cost" ? amount / MICRO : amount);

const shownUse = (model: string, { turns, requests, inputTokens, outputTokens, cost }: ModelUse): ShownUse => ({
  model,
  turns,
  requests,
  inputTokens,
  outputTokens,
  ...(cost !== undefined && { cost: inUnits("cost", cost) }),
});

const nothing = { people: 0, turns: 0, requests: 0, inputTokens: 0, outputTokens: 0 };

const added = (total: AgentUse, use: ShownUse): AgentUse => ({
  ...total,
  people: total.people + 1,
  turns: total.turns + use.turns,
  requests: total.requests + use.requests,
  inputTokens: total.inputTokens + use.inputTokens,
  outputTokens: total.outputTokens + use.outputTokens,
  ...((total.cost !== undefined || use.cost !== undefined) && { cost: (total.cost ?? 0) + (use.cost ?? 0) }),
});
