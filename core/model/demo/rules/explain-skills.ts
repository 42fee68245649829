import type { DemoRule } from "../demo-rule.ts";
import type { Situation } from "../situation.ts";

const QUESTION = /^(?:what (?:can|could) (?:you|i) (?:do|ask|say)|help|what are you|who are you|how do you work)\b/i;

/** Speaks for the other rules, so that a new one is told about as soon as it exists. */
export const explainSkills = (rules: readonly DemoRule[]): DemoRule => ({
  skill: () => undefined,
  respond: (situation) => (QUESTION.test(situation.text) ? { say: listOf(rules, situation) } : undefined),
});

const listOf = (rules: readonly DemoRule[], situation: Situation): string => {
  const skills = rules.flatMap((rule) => rule.skill(situation) ?? []);
  return ["I follow a few fixed rules. I can", "", ...skills.map((skill) => `- ${skill}`)].join("\n");
};
