import { messageOf } from "../contract/app-error.ts";
import type { TakenAmounts, WorkBudget } from "../contract/budget.ts";
import type { AgentRef } from "../contract/messages/addresses.ts";
import type { Cause } from "../contract/messages/work-context.ts";
import type { Clock } from "../contract/ports/clock.ts";
import type { Logger } from "../contract/ports/logger.ts";
import type { Store } from "../contract/ports/store.ts";
import type { Meter } from "../contract/ports/telemetry.ts";
import { english, type Texts, textsFor } from "../contract/texts/texts.ts";
import type { AgentModel, StepRequest, StepResponse } from "../model/index.ts";
import { OPERATOR, type Rights } from "../rights/index.ts";
import {
  type Account,
  Accounts,
  type Amounts,
  type BudgetedWork,
  difference,
  isUnattended,
  limitsTokens,
  negative,
  type Resource,
} from "./accounts.ts";
import { openText, refusalText, refused, waitText } from "./budget-texts.ts";
import type { AgentBudgetsConfig, PricesConfig, TenantBudgetsConfig } from "./config.ts";
import { Estimates, type Usage } from "./estimates.ts";
import type { Ledger, Refusal } from "./ledger.ts";
import { addOpen } from "./open-sets.ts";
import { BudgetRefused } from "./refused.ts";
import type { TurnPlace, TurnSlots } from "./turn-slots.ts";
import type { UseLog } from "./use-log.ts";
import type { Warnings } from "./warnings.ts";

export interface BudgetDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly slots: TurnSlots;
  readonly useLog: UseLog;
  readonly warnings: Warnings;
}

export interface BudgetRules {
  readonly ofAgent?: AgentBudgetsConfig | undefined;
  readonly ofTenant?: TenantBudgetsConfig | undefined;
  readonly prices?: PricesConfig | undefined;
  /** Decides who is an operator. */
  readonly rights?: Pick<Rights, "entriesOf"> | undefined;
}

/** The use of one limit today. */
export interface LimitUse {
  readonly account: Account;
  readonly resource: Resource;
  readonly used: number;
  readonly limit: number;
  readonly isLifted: boolean;
}

/** The reservation of one model request. */
export interface Spending {
  /** Replaces the reservation by the use. Without a usage the reservation counts: the model may have worked. */
  settle(usage: Usage | undefined, answeredBy?: string): void;
  /** The model was not reached: no tokens were used. */
  release(): void;
}

/** Admits the work of one agent, or refuses it, before it costs anything (R2). */
export class Budgets {
  readonly accounts: Accounts;
  readonly #ref: AgentRef;
  readonly #deps: BudgetDeps;
  readonly #prices: PricesConfig;
  readonly #estimates: Estimates;
  readonly #rights: Pick<Rights, "entriesOf"> | undefined;

  constructor(ref: AgentRef, { ofAgent = {}, ofTenant = {}, prices = {}, rights }: BudgetRules, deps: BudgetDeps) {
    this.#ref = ref;
    this.#deps = deps;
    this.#rights = rights;
    this.accounts = new Accounts(ref, { ofAgent, ofTenant });
    this.#prices = prices;
    this.#estimates = new Estimates(prices);
  }

  /**
   * Reserves a model request; throws BudgetRefused if a budget does not admit it. `isTurn`: it is the first request of a
   * turn of a session.
   */
  async reserve(work: BudgetedWork, model: string, request: StepRequest, isTurn: boolean): Promise<Spending> {
    const accounts = this.accounts.of(work);
    if (accounts.length === 0) return this.#unlimited(work, model, isTurn);
    const estimate = accounts.some(limitsTokens) ? this.#estimates.usageOf(model, request) : undefined;
    const reserved = this.#amounts(model, estimate, isTurn);
    const { ledger, warnings } = this.#deps;
    await this.#take(work, accounts, reserved);
    const day = ledger.today();
    const settle = (used: Amounts) => {
      const change = difference(reserved, used);
      for (const account of accounts) ledger.charge(account, change, day);
    };
    return {
      settle: (usage, answeredBy = model) => {
        const used = usage ?? estimate;
        this.#log(work, answeredBy, used, isTurn);
        if (used === undefined) return;
        this.#estimates.learn(answeredBy, used);
        settle(this.#amounts(answeredBy, used, isTurn));
        warnings.check(this.#ref, work, accounts);
      },
      release: () => settle(this.#amounts(model, undefined, isTurn)),
    };
  }

  /** No budget applies: the use is only recorded. */
  #unlimited(work: BudgetedWork, model: string, isTurn: boolean): Spending {
    const settle: Spending["settle"] = (usage, by = model) => this.#log(work, by, usage, isTurn);
    return { settle, release: () => undefined };
  }

  /** The model, with each request charged to the work. A refused request rejects like a failed one. */
  metered(model: AgentModel, work: BudgetedWork): AgentModel {
    return {
      label: model.label,
      step: async (request, options) => {
        const spending = await this.reserve(work, model.label, request, false);
        let response: StepResponse | undefined;
        try {
          response = await model.step(request, options);
          return response;
        } finally {
          spending.settle(response?.usage, response?.model);
        }
      },
    };
  }

  /** Why a turn of this work would be refused now; undefined if it would not. */
  async refusalOf(work: BudgetedWork): Promise<BudgetRefused | undefined> {
    const accounts = this.accounts.of(work);
    try {
      const amounts: Amounts = { turns: 1, tokens: 1, cost: 1, bytes: 1 };
      await this.#take(work, accounts, amounts);
      for (const account of accounts) this.#deps.ledger.charge(account, negative(amounts));
      return undefined;
    } catch (error) {
      if (error instanceof BudgetRefused) return error;
      throw error;
    }
  }

  /** The place of a turn among those that run at once. Undefined: no limit applies, and nothing was stored. */
  beginTurn(work: BudgetedWork, turnId: string): Promise<TurnPlace> | undefined {
    const accounts = this.accounts.of(work).filter(({ atOnce }) => atOnce.turns !== undefined);
    return accounts.length === 0 ? undefined : this.#deps.slots.begin(accounts, turnId, isUnattended(work));
  }

  /** Notifies the person, once, that their message waits for other turns to end. */
  notifyOfWait(work: BudgetedWork, turnId: string, account: Account): void {
    this.#deps.warnings.waits(this.#ref, work, turnId, waitText(account, textsFor(work.asker.locale)));
  }

  /** Counts what was stored for the work. */
  stored(work: BudgetedWork, bytes: () => number): void {
    const accounts = this.accounts.of(work).filter(({ daily }) => daily.bytes !== undefined);
    if (accounts.length === 0) return;
    const amounts = { bytes: bytes() };
    for (const account of accounts) this.#deps.ledger.charge(account, amounts);
  }

  /** Why bytes that are about to be stored for the work would be refused; takes nothing. */
  async refusalOfBytes(work: BudgetedWork, bytes: number): Promise<((texts: Texts) => string) | undefined> {
    const { ledger, clock } = this.#deps;
    for (const account of this.accounts.of(work)) {
      if (account.daily.bytes === undefined) continue;
      const refusal = await ledger.refusalOf(account, { bytes }, isUnattended(work));
      if (refusal === undefined) continue;
      this.#report(refusal, refusal.why);
      return refusalText.bind(undefined, refusal, ledger.used(account, "bytes"), clock.now());
    }
    return undefined;
  }

  /** The use of all limits that apply to the work, read from the store. */
  async usesOf(work: BudgetedWork): Promise<LimitUse[]> {
    const accounts = this.accounts.of(work);
    return (await Promise.all(accounts.map((account) => this.#usesOf(account)))).flat();
  }

  /**
   * Lifts a soft limit for today: that of the asker, or, for operators, that of another person (by id) or of a shared
   * scope. False: the asker may not.
   */
  async lift(work: BudgetedWork, subject = work.asker.personId): Promise<boolean> {
    const own = this.accounts.of(work).filter(({ isOwn }) => isOwn);
    const isTheirs = own.some((account) => account.subject === subject);
    if (!isTheirs && !this.#isOperator(work)) return false;
    const shared = this.accounts.shared().filter(({ scope }) => scope === subject);
    const lifted = isTheirs ? own : shared.length > 0 ? shared : this.accounts.ownedBy(subject);
    for (const account of lifted) {
      if (account.softShare === undefined) continue;
      await this.#deps.ledger.note(account, (record) => (record.lifted ? record : { ...record, lifted: true }));
    }
    return true;
  }

  /** The budgets of the work, for its tools. */
  forTools(work: BudgetedWork): WorkBudget {
    const accounts = this.accounts.of(work);
    return {
      take: async (amounts) => {
        try {
          await this.#take(work, accounts, asAmounts(amounts), english);
          return undefined;
        } catch (error) {
          if (error instanceof BudgetRefused) return messageOf(error);
          throw error;
        }
      },
      giveBack: (amounts) => {
        for (const account of accounts) this.#deps.ledger.charge(account, negative(asAmounts(amounts)));
      },
      open: async (kind, names, isOpen) => {
        for (const account of accounts) {
          if (await addOpen(this.#deps.store, account, kind, names, isOpen)) continue;
          this.#report({ account, resource: kind }, "at-once");
          return openText(kind, account);
        }
        return undefined;
      },
    };
  }

  async #usesOf(account: Account): Promise<LimitUse[]> {
    const { ledger } = this.#deps;
    await ledger.refresh(account);
    return (Object.entries(account.daily) as [Resource, number][]).map(([resource, limit]) => ({
      account,
      resource,
      limit,
      used: ledger.used(account, resource),
      isLifted: ledger.known(account).lifted ?? false,
    }));
  }

  #isOperator({ asker: { causes = [] } }: BudgetedWork): boolean {
    const isOperator = (cause: Cause) =>
      cause.speaker === OPERATOR || (this.#rights?.entriesOf(cause).includes(OPERATOR) ?? false);
    return causes.length > 0 && causes.every(isOperator);
  }

  async #take(work: BudgetedWork, accounts: readonly Account[], amounts: Amounts, texts?: Texts): Promise<void> {
    const { ledger, clock } = this.#deps;
    const unattended = isUnattended(work);
    const day = ledger.today();
    for (const [index, account] of accounts.entries()) {
      const refusal = await ledger.take(account, amounts, unattended);
      if (refusal === undefined) continue;
      for (const taken of accounts.slice(0, index)) ledger.charge(taken, negative(amounts), day);
      this.#report(refusal, refusal.why);
      const used = ledger.used(account, refusal.resource);
      throw refused(refusal, used, clock.now(), texts ?? textsFor(work.asker.locale));
    }
  }

  #report({ account, resource }: { account: Account; resource: string }, why: Refusal["why"] | "at-once"): void {
    const { agent } = this.#ref;
    const { scope, holder } = account;
    this.#deps.meter.count("budget_refusals_total", { agent, scope, resource, why });
    this.#deps.logger.info({ agent, holder, scope, resource, why }, "work refused by budget");
  }

  #amounts(model: string, usage: Usage | undefined, isTurn: boolean): Amounts {
    const cost = this.#costOf(model, usage);
    return {
      ...(isTurn && { turns: 1 }),
      ...(usage && { tokens: usage.inputTokens + usage.outputTokens }),
      ...(cost !== undefined && { cost }),
      ...(isTurn && { bytes: 1 }),
    };
  }

  #costOf(model: string, usage: Usage | undefined): number | undefined {
    return usage && model in this.#prices ? this.#estimates.costOf(model, usage) : undefined;
  }

  #log({ asker }: BudgetedWork, model: string, usage: Usage | undefined, isTurn: boolean): void {
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    const cost = this.#costOf(model, usage);
    const use = { turns: isTurn ? 1 : 0, requests: 1, inputTokens, outputTokens, ...(cost !== undefined && { cost }) };
    this.#deps.useLog.add({ ...this.#ref, personId: asker.personId }, model, use);
    if (cost) this.#deps.meter.count("budget_cost_total", { agent: this.#ref.agent, model }, cost / 1_000_000);
  }
}

const asAmounts = ({ subtasks, bytes }: TakenAmounts): Amounts => ({
  ...(subtasks !== undefined && { subtasks }),
  ...(bytes !== undefined && { bytes }),
});
