import type { DemoRule } from "./demo-rule.ts";
import { calculate } from "./rules/calculate.ts";
import { echo } from "./rules/echo.ts";
import { explainSkills } from "./rules/explain-skills.ts";
import { forget } from "./rules/forget.ts";
import { greet } from "./rules/greet.ts";
import { recall } from "./rules/recall.ts";
import { remember } from "./rules/remember.ts";

/** In order: the first that answers has the step. A new rule goes before `echo`. */
const skilled: readonly DemoRule[] = [greet, calculate, remember, recall, forget, echo];

export const demoRules: readonly DemoRule[] = [explainSkills(skilled), ...skilled];
