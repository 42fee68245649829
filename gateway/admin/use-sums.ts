import { addedUse, type ModelUse, usesOfDay } from "../../core/budgets/index.ts";
import { dayOf } from "../../core/contract/ports/clock.ts";
import { keyParts, type Store } from "../../core/contract/ports/store.ts";

/** The use of one agent by one person, by model. */
interface PersonUse {
  readonly tenant: string;
  readonly agent: string;
  readonly personId: string;
  readonly models: Map<string, ModelUse>;
}

interface Range {
  /** The last day of the range. */
  readonly day: string;
  readonly days: number;
}

const DAY_MS = 24 * 3_600_000;

/** Adds up the stored use of these tenants per agent and person. */
export const sumUse = async (store: Store, tenants: readonly string[], range: Range): Promise<readonly PersonUse[]> => {
  const sums = new Map<string, PersonUse>();
  for (const tenant of tenants) {
    for (const day of daysOf(range)) {
      for await (const { key, value } of store.list(usesOfDay(tenant, day))) {
        const [, , agent = "", personId = ""] = keyParts(key);
        const name = JSON.stringify([tenant, agent, personId]);
        const sum = sums.get(name) ?? { tenant, agent, personId, models: new Map() };
        sums.set(name, sum);
        for (const [model, use] of Object.entries(value.models)) {
          sum.models.set(model, addedUse(sum.models.get(model), use));
        }
      }
    }
  }
  return [...sums.values()];
};

const daysOf = ({ day, days }: Range): string[] =>
  Array.from({ length: days }, (_, index) => dayOf(Date.parse(day) - (days - 1 - index) * DAY_MS));

/** `order` is unique and sorts by cost, then by tokens, the highest first; it is the position of a page. */
export const costliestFirst = (uses: readonly PersonUse[]): readonly (PersonUse & { readonly order: string })[] =>
  uses.map((use) => ({ ...use, order: orderOf(use) })).sort((a, b) => (a.order < b.order ? -1 : 1));

const orderOf = ({ models, tenant, agent, personId }: PersonUse): string => {
  const total = (of: (use: ModelUse) => number) => [...models.values()].reduce((sum, use) => sum + of(use), 0);
  const ranks = [total(({ cost = 0 }) => cost), total(({ inputTokens, outputTokens }) => inputTokens + outputTokens)];
  return JSON.stringify([...ranks.map(descending), tenant, agent, personId]);
};

/** A text of constant length, smaller for a larger number. */
const descending = (amount: number): string => String(Number.MAX_SAFE_INTEGER - Math.round(amount)).padStart(16, "0");
