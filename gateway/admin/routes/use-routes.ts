import type { FastifyInstance } from "fastify";
import { addedUse, ledgerOfDay, limitOf, type ModelUse } from "../../../core/budgets/index.ts";
import { dayOf } from "../../../core/contract/ports/clock.ts";
import { keyParts } from "../../../core/contract/ports/store.ts";
import { readPerson } from "../../../core/people/index.ts";
import { type AnswerTo, requests } from "../../admin-api/index.ts";
import { budgetRules } from "../../agent-config.ts";
import { type AdminDeps, type AdminRequest, adminRoute, checked } from "../admin-request.ts";
import { managedTenant, managedTenants } from "../managed-resources.ts";
import { pageOf, refOf } from "../page.ts";
import { costliestFirst, sumUse } from "../use-sums.ts";

type AgentUse = AnswerTo<"GET use/totals">["items"][number];
type ShownUse = AnswerTo<"GET use">["items"][number]["models"][number];

/** Use and cost of one or several days: per person, per agent and model, and of each budget by day (R2). */
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
    const { tenant, day = dayOf(clock.now()), days, ...page } = checked(requests["GET use"], request.query);
    const uses = await sumUse(store, tenantsOf(request, tenant), { day, days });
    const sorted = async function* () {
      for (const use of costliestFirst(uses)) yield { key: use.order, value: use };
    };
    return pageOf([{ name: "use", list: sorted }], page, async ({ tenant, agent, personId, models }) => ({
      ref: refOf(tenant, agent, personId),
      day,
      days,
      tenant,
      agent,
      personId,
      ...(await nameOf(tenant, personId)),
      models: [...models].map(([model, use]) => shownUse(model, use)),
    }));
  });

  adminRoute(scope, "GET use/totals", async (request) => {
    const { tenant, day = dayOf(clock.now()), days } = checked(requests["GET use/totals"], request.query);
    const totals = new Map<string, Omit<AgentUse, keyof ShownUse> & { model: string; use: ModelUse }>();
    for (const { tenant: of, agent, models } of await sumUse(store, tenantsOf(request, tenant), { day, days })) {
      for (const [model, use] of models) {
        const name = JSON.stringify([of, agent, model]);
        const total = totals.get(name);
        const sums = { people: (total?.people ?? 0) + 1, use: addedUse(total?.use, use) };
        totals.set(name, { day, days, tenant: of, agent, model, ...sums });
      }
    }
    return { items: [...totals.values()].map(({ use, model, ...total }) => ({ ...total, ...shownUse(model, use) })) };
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
