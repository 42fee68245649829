export type { BudgetedWork } from "./accounts.ts";
export { BudgetService } from "./budget-service.ts";
export { renewal, useInWords } from "./budget-texts.ts";
export type { BudgetRules, Budgets, LimitUse, Spending } from "./budgets.ts";
export { limitOf, withDefaults } from "./config.ts";
export { dayOf, ledgerOfDay } from "./ledger-record.ts";
export { BudgetRefused } from "./refused.ts";
export { type ModelUse, usesOfDay } from "./use-log.ts";
export type { BudgetNotice } from "./warnings.ts";
