import type { Config } from "../../config/index.ts";
import { systemClock } from "../../core/contract/ports/clock.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { createModel } from "../../core/model/index.ts";
import { budgetRules } from "../agent-config.ts";

type Row = readonly [label: string, text: string];

/** The budgets of agents and tenants, one line per scope, and the models without a price. */
export const describeBudgets = (config: Config): Row[] => [
  ...config.agents.map((agent): Row => ["Budgets", `${agent.name}\n${linesOf(budgetRules(config, agent).ofAgent)}`]),
  ...Object.entries(config.tenants).flatMap(([tenant, { budgets }]): Row[] =>
    Object.keys(budgets).length === 0 ? [] : [["Budgets", `tenant ${tenant}\n${linesOf(budgets)}`]],
  ),
  ...unpriced(config),
];

const linesOf = (budgets: object = {}): string =>
  Object.entries(budgets)
    .map(([scope, limits]) => `  ${scope}: ${textOf(limits as Readonly<Record<string, unknown>>)}`)
    .join("\n");

const textOf = (limits: Readonly<Record<string, unknown>>): string =>
  Object.entries(limits)
    .filter(([name, value]) => value !== undefined && !(name === "unattendedShare" && value === DEFAULT_SHARE))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "no limits";

const DEFAULT_SHARE = 0.9;

/** A limit on cost has no effect for a model without a price. */
const unpriced = (config: Config): Row[] => {
  const isCostLimited = [...config.agents, ...Object.values(config.tenants)].some(({ budgets }) =>
    Object.values(budgets).some((limits) => limits?.costPerDay !== undefined),
  );
  if (!isCostLimited) return [];
  const deps = { clock: systemClock, logger: silentLogger };
  const labels = new Set(config.agents.map(({ model }) => createModel(model, deps).label));
  const missing = [...labels].filter((label) => config.prices[label] === undefined);
  return missing.length === 0 ? [] : [["Prices", `none for ${missing.join(", ")}, so costPerDay does not limit it`]];
};
