export type { BudgetedWork } from "./accounts.ts";
export { BudgetService } from "./budget-service.ts";
export { renewal, useInWords } from "./budget-texts.ts";
export type { BudgetRules, Budgets, LimitUse, Spending } from "./budgets.ts";
export { withDefaults } from "./config.ts";
export { BudgetRefused } from "./refused.ts";
export type { BudgetNotice } from "./warnings.ts";
