import { z } from "zod";
import { collection, keyOf, prefixOf } from "../contract/ports/store.ts";
import { type Account, RESOURCES } from "./accounts.ts";

const Counts = z.partialRecord(z.enum(RESOURCES), z.number());

/** The use of one account on one day. */
export const LedgerRecord = z.looseObject({
  /** Used, or leased by a process. A process that is killed leaves its lease in here: it counts as used. */
  taken: Counts,
  /** The highest share of a limit, in percent, that a warning was published for. */
  warned: Counts.optional(),
  /** A person or an operator lifted the soft limit for the day. */
  lifted: z.boolean().optional(),
});
export type LedgerRecord = z.infer<typeof LedgerRecord>;

/** Operators can look back this far. */
const KEPT_MS = 35 * 24 * 3_600_000;

const ledger = collection("budgets", LedgerRecord, { ttlMs: KEPT_MS });

export const ledgerKey = ({ tenant, holder, scope, subject }: Account, day: string) =>
  keyOf(ledger, tenant, day, holder, scope, subject);

export const ledgerOfDay = (tenant: string, day: string) => prefixOf(ledger, tenant, day);

export const NOTHING: LedgerRecord = { taken: {} };

const DAY_MS = 24 * 3_600_000;

/** The time at which the budgets of today renew: all are per UTC day, so that processes and tenants agree. */
export const nextDay = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS;
