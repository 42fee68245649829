import type { DemoRule } from "./demo-rule.ts";
import { calculate } from "./rules/calculate.ts";
import { consolidate, doSubtask, research } from "./rules/delegate.ts";
import { forget, recall, remember } from "./rules/memory.ts";
import { useTool } from "./rules/named-subject.ts";
import { askPeer, passOn } from "./rules/peers.ts";
import { remind, schedule } from "./rules/schedule.ts";
import { echo, explainSkills, greet } from "./rules/small-talk.ts";

/** In order: the first rule that answers decides the step. A new rule goes before `echo`. */
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
  useTool,
  echo,
];

export const demoRules: readonly DemoRule[] = [explainSkills(skilled), ...skilled];
