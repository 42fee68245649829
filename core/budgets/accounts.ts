import { BoundedCache } from "../contract/bounded-cache.ts";
import type { Cause, WorkContext } from "../contract/messages/work-context.ts";
import { unlinkedPersonId } from "../people/index.ts";
import type { AgentBudgetsConfig, Limits, OwnScope, Scope, TenantBudgetsConfig } from "./config.ts";

/** The part of a piece of work that decides its budgets. */
export type BudgetedWork = Pick<WorkContext, "asker" | "audience" | "traceId"> & {
  readonly standing: Pick<WorkContext["standing"], "background" | "subtaskId">;
};

/** The resources that are counted per day. `cost` is in millionths of the currency of the prices. */
export const RESOURCES = ["turns", "tokens", "cost", "subtasks", "bytes"] as const;
export type Resource = (typeof RESOURCES)[number];
export type Amounts = Readonly<Partial<Record<Resource, number>>>;

/** A counter in the store: one subject of a scope, of an agent or of a whole tenant. */
export interface Account {
  readonly tenant: string;
  /** `agent/<name>` or `tenant`. */
  readonly holder: string;
  readonly scope: Scope;
  /** The person, visitor or caller; the scope itself if all share the account. */
  readonly subject: string;
  /** The limits per day; a resource without one is not limited. */
  readonly daily: Amounts;
  readonly atOnce: { readonly turns?: number; readonly subtasks?: number; readonly schedules?: number };
  readonly softShare: number | undefined;
  readonly unattendedShare: number;
  /** One person's own: they see its numbers and get its warnings. */
  readonly isOwn: boolean;
}

export const isUnattended = ({ standing }: Pick<BudgetedWork, "standing">): boolean =>
  standing.background || standing.subtaskId !== undefined;

/** Records of 0.1.0 do not say who spoke; access had let the speaker in. */
const UNKNOWN: readonly Cause[] = [{ speaker: "member" }];

/** The scope and the subjects of the one who asks. */
interface Own {
  readonly scope: OwnScope;
  readonly subjects: readonly string[];
}

/** Finds the accounts that a piece of work is charged to. */
export class Accounts {
  readonly #tenant: string;
  readonly #holders: readonly { holder: string; config: AgentBudgetsConfig & TenantBudgetsConfig }[];
  readonly #known = new BoundedCache<string, Account>(20_000);

  constructor(
    { tenant, agent }: { readonly tenant: string; readonly agent: string },
    { ofAgent = {}, ofTenant = {} }: { readonly ofAgent?: AgentBudgetsConfig; readonly ofTenant?: TenantBudgetsConfig },
  ) {
    this.#tenant = tenant;
    const holders = [
      { holder: `agent/${agent}`, config: ofAgent },
      { holder: "tenant", config: ofTenant },
    ];
    this.#holders = holders.filter(({ config }) => Object.keys(config).length > 0);
  }

  /** All accounts of the work, own ones first. Empty: nothing limits it. */
  of(work: BudgetedWork): readonly Account[] {
    if (this.#holders.length === 0) return NONE;
    const { causes = UNKNOWN } = work.asker;
    const found: Account[] = [];
    const scope = ownScope(causes);
    const own = scope !== undefined && this.#limits(scope) ? this.#own(work, scope, causes) : undefined;
    for (const { holder, config } of this.#holders) {
      const limits = own && config[own.scope];
      if (own === undefined || limits === undefined) continue;
      for (const subject of own.subjects) found.push(this.#account(holder, own.scope, subject, limits));
    }
    for (const { holder, config } of this.#holders) {
      for (const scope of sharedScopes(work, causes, holder)) {
        const limits = config[scope];
        if (limits) found.push(this.#account(holder, scope, scope, limits));
      }
    }
    return found;
  }

  /** All accounts that people share. */
  shared(): readonly Account[] {
    return this.#holders.flatMap(({ holder, config }) =>
      (Object.keys(config) as Scope[]).flatMap((scope) => {
        const limits = (config as Partial<Record<Scope, Limits>>)[scope];
        return isOwnScope(scope) || limits === undefined ? [] : [this.#account(holder, scope, scope, limits)];
      }),
    );
  }

  /** The accounts of one person, visitor or caller by its subject. */
  ownedBy(subject: string): readonly Account[] {
    return this.#holders.flatMap(({ holder, config }) =>
      OWN.flatMap((scope) => {
        const limits = config[scope];
        return limits ? [this.#account(holder, scope, subject, limits)] : [];
      }),
    );
  }

  /**
   * A person's use counts for the person and for the account that spoke, under the id that it has while it is not
   * linked. So neither linking nor unlinking makes a used budget available again.
   */
  #own({ asker }: BudgetedWork, scope: OwnScope, causes: readonly Cause[]): Own {
    if (scope === "caller") return { scope, subjects: [...new Set(causes.map(({ id = "unknown" }) => `peer/${id}`))] };
    const { channel, id } = causes.find(isAccount) ?? {};
    const account = channel !== undefined && id !== undefined && unlinkedPersonId(this.#tenant, channel, id);
    return { scope, subjects: [...new Set([asker.personId, ...(account ? [account] : [])])] };
  }

  #limits(scope: OwnScope): boolean {
    return this.#holders.some(({ config }) => config[scope] !== undefined);
  }

  #account(holder: string, scope: Scope, subject: string, limits: Limits): Account {
    const key = `${holder}\n${scope}\n${subject}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const account = { tenant: this.#tenant, holder, scope, subject, isOwn: isOwnScope(scope), ...asNumbers(limits) };
    this.#known.set(key, account);
    return account;
  }
}

const NONE: readonly Account[] = [];
const OWN: readonly OwnScope[] = ["person", "visitor", "caller"];

const isOwnScope = (scope: Scope): scope is OwnScope => (OWN as readonly Scope[]).includes(scope);

const isAccount = ({ speaker, channel, id }: Cause): boolean =>
  speaker !== "peer" && channel !== undefined && id !== undefined;

/** Undefined: the configuration or an operator started the work, not a person. */
const ownScope = (causes: readonly Cause[]): OwnScope | undefined => {
  if (causes.some(({ speaker }) => speaker === "anonymous")) return "visitor";
  if (causes.every(({ speaker }) => speaker === "peer")) return "caller";
  return causes.some((cause) => cause.speaker === "member" || isAccount(cause)) ? "person" : undefined;
};

const sharedScopes = (
  work: BudgetedWork,
  causes: readonly Cause[],
  holder: string,
): readonly Exclude<Scope, OwnScope>[] => [
  ...new Set(causes.map(({ speaker }) => speaker)),
  ...(isUnattended(work) ? ["unattended" as const] : []),
  holder === "tenant" ? "tenant" : "agent",
];

export const MICRO = 1_000_000;

const asNumbers = (limits: Limits): Pick<Account, "daily" | "atOnce" | "softShare" | "unattendedShare"> => {
  const { turnsPerDay, tokensPerDay, costPerDay, subtasksPerDay, storedBytesPerDay } = limits;
  const { turnsAtOnce, subtasksAtOnce, schedulesAtOnce, softShare, unattendedShare } = limits;
  return {
    daily: {
      ...(isLimit(turnsPerDay) && { turns: turnsPerDay }),
      ...(isLimit(tokensPerDay) && { tokens: tokensPerDay }),
      ...(isLimit(costPerDay) && { cost: Math.round(costPerDay * MICRO) }),
      ...(isLimit(subtasksPerDay) && { subtasks: subtasksPerDay }),
      ...(isLimit(storedBytesPerDay) && { bytes: storedBytesPerDay }),
    },
    atOnce: {
      ...(turnsAtOnce !== undefined && { turns: turnsAtOnce }),
      ...(subtasksAtOnce !== undefined && { subtasks: subtasksAtOnce }),
      ...(schedulesAtOnce !== undefined && { schedules: schedulesAtOnce }),
    },
    softShare,
    unattendedShare,
  };
};

const isLimit = (limit: number | "unlimited" | undefined): limit is number => typeof limit === "number";

export const negative = (amounts: Amounts): Amounts => difference(amounts, {});

/** The charge after which `used` counts instead of `reserved`. */
export const difference = (reserved: Amounts, used: Amounts): Amounts => {
  const resources = new Set([...Object.keys(reserved), ...Object.keys(used)]) as Set<Resource>;
  return Object.fromEntries(
    [...resources].map((resource) => [resource, (used[resource] ?? 0) - (reserved[resource] ?? 0)]),
  );
};

export const limitsTokens = ({ daily }: Account): boolean => daily.tokens !== undefined || daily.cost !== undefined;
