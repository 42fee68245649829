import type { PersonBudget } from "../adapters/contract/adapter-context.ts";
import type { Config } from "../config/index.ts";
import { type BudgetedWork, type BudgetRules, BudgetService, type Budgets } from "../core/budgets/index.ts";
import type { Clock } from "../core/contract/ports/clock.ts";
import type { Logger } from "../core/contract/ports/logger.ts";
import type { Store } from "../core/contract/ports/store.ts";
import type { Meter } from "../core/contract/ports/telemetry.ts";
import { type Texts, textsFor } from "../core/contract/texts/texts.ts";
import { ToldError } from "../core/contract/texts/told-error.ts";
import { findPerson, resolvedAsker } from "../core/people/index.ts";
import { budgetRules } from "./agent-config.ts";

interface UploadBudgetDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** Charges uploaded files to the budgets of stored bytes of the people who send them (R2). */
export class UploadBudgets {
  readonly #deps: UploadBudgetDeps;
  readonly #service: BudgetService;
  readonly #settings = new Map<string, Config["agents"][number]["budgets"]>();

  constructor(deps: UploadBudgetDeps) {
    this.#deps = deps;
    // The core warns people, also of what their uploads have used.
    this.#service = new BudgetService({ ...deps, notify: async () => undefined });
  }

  /** The budget of a channel's senders; undefined if no budget of its agent limits stored bytes. */
  on(channel: string, config: Config, agent: Config["agents"][number]): PersonBudget | undefined {
    const rules = budgetRules(config, agent);
    if (!limitsBytes(rules)) return undefined;
    const { tenant } = agent;
    const budgets = this.#budgetsOf(agent, rules);
    const workOf = (accountId: string, anonymous: boolean) => this.#workOf({ tenant, channel, accountId }, anonymous);
    return {
      check: async ({ id, isAnonymous }, bytes) => {
        const work = await workOf(id, isAnonymous);
        refuse(work, await budgets.refusalOfBytes(work, bytes));
      },
      take: async ({ id, isAnonymous }, bytes) => this.#take(budgets, await workOf(id, isAnonymous), bytes),
    };
  }

  stop(): Promise<void> {
    return this.#service.stop();
  }

  /** The channels of an agent share its budgets, until a reload has changed their settings. */
  #budgetsOf({ tenant, name, budgets: settings }: Config["agents"][number], rules: BudgetRules): Budgets {
    const known = this.#settings.get(name) === settings ? this.#service.of(name) : undefined;
    this.#settings.set(name, settings);
    return known ?? this.#service.add({ tenant, agent: name }, rules);
  }

  async #take(budgets: Budgets, work: BudgetedWork, bytes: number): Promise<() => void> {
    const budget = budgets.forTools(work);
    const refused = await budget.take({ bytes });
    if (refused !== undefined) refuse(work, (await budgets.refusalOfBytes(work, bytes)) ?? (() => refused));
    // An upload costs several writes anyway, so the gateway keeps no lease from the core.
    await this.#service.returnLeases();
    return () => {
      budget.giveBack({ bytes });
      void this.#service.returnLeases();
    };
  }

  /** The work of a message that the account would send now. */
  async #workOf(address: { tenant: string; channel: string; accountId: string }, anonymous: boolean) {
    const { tenant, channel, accountId } = address;
    const conversation = { channel, room: accountId, kind: "private" as const };
    const account = { id: accountId, name: "", ...(anonymous && { anonymous }) };
    const { person } = await findPerson(this.#deps.store, address);
    const { id: personId, isIdentified, locale } = resolvedAsker(person, { tenant, conversation, account });
    const speaker = isIdentified ? ("member" as const) : ("anonymous" as const);
    return {
      asker: { personId, accountId, name: "", locale, causes: [{ speaker, channel, id: accountId }] },
      audience: { conversation, personId: null, accountId },
      traceId: "",
      standing: { background: false },
    } satisfies BudgetedWork;
  }
}

const limitsBytes = ({ ofAgent = {}, ofTenant = {} }: BudgetRules): boolean =>
  [...Object.values(ofAgent), ...Object.values(ofTenant)].some(
    (limits) => typeof limits?.storedBytesPerDay === "number",
  );

const refuse = ({ asker }: Pick<BudgetedWork, "asker">, why: ((texts: Texts) => string) | undefined): void => {
  if (why === undefined) return;
  const say = (texts: Texts) => texts.refusals.overBudget(why(texts));
  throw new ToldError("rate-limited", say, asker.locale === undefined ? {} : { reader: textsFor(asker.locale) });
};
