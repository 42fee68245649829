import { arithmetic } from "../arithmetic.ts";
import type { DemoRule } from "../demo-rule.ts";

const QUESTION = /^(?:what(?:'s| is)|how much is|calculate|compute)?\s*([-+*/×÷−().,\d\s]+?)\s*[=?.!]*$/i;

export const calculate: DemoRule = {
  skill: () => 'do small sums: "what is 6 * 7?"',
  respond: ({ text }) => {
    const formula = QUESTION.exec(text.slice(0, 200))?.[1];
    // A number alone is not a question.
    if (formula === undefined || !/\d\s*\)*\s*[-+*/×÷−]/.test(formula)) return undefined;
    const result = arithmetic(formula);
    if (result === undefined) return undefined;
    if (!Number.isFinite(result)) return { say: "That has no result: it divides by zero or grows too large." };
    return { say: `${formula.trim()} = ${Number(result.toPrecision(12))}` };
  },
};
