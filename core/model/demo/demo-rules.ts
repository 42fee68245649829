import type { DemoRule } from "./demo-rule.ts";
import { askPeer } from "./rules/ask-peer.ts";
import { calculate } from "./rules/calculate.ts";
import { consolidate } from "./rules/consolidate.ts";
import { doSubtask } from "./rules/do-subtask.ts";
import { echo } from "./rules/echo.ts";
import { explainSkills } from "./rules/explain-skills.ts";
import { forget } from "./rules/forget.ts";
import { greet } from "./rules/greet.ts";
import { passOn } from "./rules/pass-on.ts";
import { recall } from "./rules/recall.ts";
import { remember } from "./rules/remember.ts";
import { remind } from "./rules/remind.ts";
import { research } from "./rules/research.ts";
import { schedule } from "./rules/schedule.ts";

/** In order: the first that answers has the step. A new rule goes before `echo`. */
const skilled: readonly DemoRule[] = [
  doSubtask,
  consolidate,
  passOn,
  remind,
  schedule,
  askPeer,
  greet,
  calculate,
  remember,
  recall,
  forget,
  research,
  echo,
];

export const demoRules: readonly DemoRule[] = [explainSkills(skilled), ...skilled];
