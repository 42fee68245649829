import { z } from "zod";

/** The scopes of an agent's budgets. Those of a tenant have "tenant" in place of "agent". */
const SHARED_SCOPES = ["anonymous", "member", "operator", "peer", "unattended"] as const;
const OWN_SCOPES = ["person", "visitor", "caller"] as const;

const count = () => z.union([z.int().min(0), z.literal("unlimited")]);

/** Limits that all apply at the same time; an absent one does not limit. */
const Limits = z.strictObject({
  turnsPerDay: count()
    .optional()
    .describe("Turns per day: answers to messages, runs of schedules, reports of delegated work, calls of agents."),
  tokensPerDay: count().optional().describe("Tokens per day that models read and write."),
  costPerDay: z
    .union([z.number().min(0), z.literal("unlimited")])
    .optional()
    .describe("Cost per day of models that have a price in `prices`, in the currency of the prices."),
  subtasksPerDay: count().optional().describe("Subtasks per day."),
  storedBytesPerDay: count()
    .optional()
    .describe(
      "Bytes per day that are stored in the history of conversations, in notes and entries of the memory and as uploaded files.",
    ),
  turnsAtOnce: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe("Turns that may run at once, over all processes; further messages and background work wait in line."),
  subtasksAtOnce: z.int().min(0).max(1_000).optional().describe("Subtasks that may be under way at once."),
  schedulesAtOnce: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe("Schedules and reminders of people that may be open at once."),
  softShare: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("The share of each daily limit at which people are asked whether to continue; by default they are not."),
  unattendedShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe("The share of each daily limit that schedules, subtasks and calls of agents may use."),
});
export type Limits = z.infer<typeof Limits>;

/** The budgets of an agent by scope. */
export const AgentBudgetsConfig = z.partialRecord(z.enum([...OWN_SCOPES, ...SHARED_SCOPES, "agent"]), Limits);
export type AgentBudgetsConfig = z.infer<typeof AgentBudgetsConfig>;

/** The budgets of a tenant by scope, over all its agents. */
export const TenantBudgetsConfig = z.partialRecord(z.enum([...OWN_SCOPES, ...SHARED_SCOPES, "tenant"]), Limits);
export type TenantBudgetsConfig = z.infer<typeof TenantBudgetsConfig>;

export type OwnScope = (typeof OWN_SCOPES)[number];
export type Scope = OwnScope | (typeof SHARED_SCOPES)[number] | "agent" | "tenant";

/** Prices of models by label. */
export const PricesConfig = z.record(
  z.string().min(1),
  z.strictObject({
    input: z.number().min(0).describe("Price of a million tokens that the model reads, in any currency."),
    output: z.number().min(0).describe("Price of a million tokens that the model writes, in the same currency."),
  }),
);
export type PricesConfig = z.infer<typeof PricesConfig>;

/** The limits of an anonymous visitor that the configuration does not set: enough to talk, delegate and set reminders. */
const DEFAULT_VISITOR: Limits = {
  turnsPerDay: 100,
  tokensPerDay: 500_000,
  subtasksPerDay: 30,
  schedulesAtOnce: 5,
  unattendedShare: 0.9,
};

/**
 * The limits of all anonymous visitors together, because one person can make many visitors: what about 50 of them use at
 * most.
 */
const DEFAULT_ANONYMOUS: Limits = {
  turnsPerDay: 5_000,
  tokensPerDay: 25_000_000,
  subtasksPerDay: 1_500,
  schedulesAtOnce: 250,
  unattendedShare: 0.9,
};

/** The budgets of an agent, with default limits for anonymous visitors. */
export const withDefaults = (budgets: AgentBudgetsConfig): AgentBudgetsConfig => ({
  ...budgets,
  visitor: { ...DEFAULT_VISITOR, ...budgets.visitor },
  anonymous: { ...DEFAULT_ANONYMOUS, ...budgets.anonymous },
});

const LIMIT_OF: Readonly<Record<string, keyof Limits>> = {
  turns: "turnsPerDay",
  tokens: "tokensPerDay",
  cost: "costPerDay",
  subtasks: "subtasksPerDay",
  bytes: "storedBytesPerDay",
};

/** The daily limit of a scope, as it is counted; undefined: none. */
export const limitOf = (
  budgets: AgentBudgetsConfig | TenantBudgetsConfig | undefined,
  scope: string,
  resource: string,
): number | undefined => {
  const name = LIMIT_OF[resource];
  const limits = (budgets as Readonly<Record<string, Limits | undefined>> | undefined)?.[scope];
  const limit = name && limits?.[name];
  if (typeof limit !== "number") return undefined;
  return resource === "cost" ? Math.round(limit * 1_000_000) : limit;
};
