import { z } from "zod";
import { type Page, PageQuery } from "./shapes.ts";

export interface ModelUse {
  readonly model: string;
  readonly turns: number;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In the currency of the prices; absent if the model has no price. */
  readonly cost?: number;
}

/** The use of one agent by one person. */
export interface PersonUse {
  readonly ref: string;
  /** The last day. */
  readonly day: string;
  /** How many days are added up. */
  readonly days: number;
  readonly tenant: string;
  readonly agent: string;
  readonly personId: string;
  /** Absent if there is no such person: an operator's schedule, or another agent. */
  readonly name?: string;
  readonly models: readonly ModelUse[];
}

/** The use of one agent and model by all people. */
export interface AgentUse extends ModelUse {
  /** The last day. */
  readonly day: string;
  /** How many days are added up. */
  readonly days: number;
  readonly tenant: string;
  readonly agent: string;
  readonly people: number;
}

/** One limited account on one day. */
export interface BudgetUse {
  readonly ref: string;
  readonly day: string;
  readonly tenant: string;
  /** Absent: the budget is the tenant's. */
  readonly agent?: string;
  readonly scope: string;
  /** The person, visitor or caller; absent if all share the budget. */
  readonly subject?: string;
  readonly name?: string;
  /** Used, and leased by processes. `cost` is in the currency of the prices. */
  readonly limits: readonly { readonly resource: string; readonly taken: number; readonly limit?: number }[];
  /** The soft limit was lifted for the day. */
  readonly lifted: boolean;
}

/** Counts of an hour or a day. */
export interface OverviewCounts {
  readonly messages: number;
  readonly answers: number;
  /** Turns that ended without an answer because of an error. */
  readonly failures: number;
  /** Deliveries that became dead letters. */
  readonly undelivered: number;
  /** In the currency of the prices; absent if no model has one. */
  readonly cost?: number;
}

export interface Overview {
  readonly range: "day" | "week";
  /** Oldest first: the hours of a day, or the days of a week, in UTC. */
  readonly times: readonly ({ readonly at: string } & OverviewCounts)[];
  readonly total: OverviewCounts;
  /** Messages that wait for an agent now. */
  readonly waiting: number;
  /** Average time from a message to its answer. */
  readonly answerSeconds?: number;
  /** The slowest first. */
  readonly channels: readonly {
    readonly channel: string;
    readonly tenant: string;
    readonly messages: number;
    readonly undelivered: number;
    readonly retries: number;
    /** Average time from the creation of a reply until the platform accepted it. */
    readonly deliverySeconds?: number;
    readonly isSlow: boolean;
  }[];
}

const Day = z.iso.date({ error: "must be a day such as 2026-03-10" }).optional();
const DayQuery = z.object({ day: Day, tenant: z.string().optional() });
/** Use is stored for 35 days. */
const DaysQuery = DayQuery.extend({ days: z.coerce.number().int().min(1).max(35).default(1) });

export const useRequests = {
  "GET overview": z.object({ range: z.enum(["day", "week"]).default("day"), tenant: z.string().optional() }),
  "GET use": PageQuery.extend(DaysQuery.shape),
  "GET use/totals": DaysQuery,
  "GET budgets": PageQuery.extend(DayQuery.shape),
};

export interface UseAnswers {
  "GET overview": Overview;
  "GET use": Page<PersonUse>;
  "GET use/totals": { readonly items: readonly AgentUse[] };
  "GET budgets": Page<BudgetUse>;
}
