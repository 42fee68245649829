import type { DemoRule } from "../demo-rule.ts";

const SUM = /^(?:what(?:'s| is)|how much is|calculate|compute)?\s*([-+*/×÷−().,\d\s]+?)\s*[=?.!]*$/i;

export const calculate: DemoRule = {
  skill: () => 'do small sums: "what is 6 * 7?"',
  respond: ({ text }) => {
    const formula = SUM.exec(text.slice(0, 200))?.[1];
    // A number alone is not a question.
    if (formula === undefined || !/\d\s*\)*\s*[-+*/×÷−]/.test(formula)) return undefined;
    const result = arithmetic(formula);
    if (result === undefined) return undefined;
    if (!Number.isFinite(result)) return { text: "That has no result: it divides by zero or grows too large." };
    return { text: `${formula.trim()} = ${Number(result.toPrecision(12))}` };
  },
};

/** The value of a sum with + - * / and parentheses; undefined if it is not one. */
const arithmetic = (formula: string): number | undefined => {
  const tokens = tokenize(formula);
  if (tokens === undefined) return undefined;
  const value = sum(tokens);
  return tokens.length === 0 ? value : undefined;
};

type Tokens = (number | string)[];

const tokenize = (formula: string): Tokens | undefined => {
  const plain = formula.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replace(/\s+/g, " ").trim();
  const tokens = plain.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];
  // Other text, such as "1,000", is ambiguous and therefore not calculated.
  if (tokens.join("") !== plain.replaceAll(" ", "") || /\d \d/.test(plain)) return undefined;
  return tokens.map((token) => (/^\d/.test(token) ? Number(token) : token));
};

const sum = (tokens: Tokens): number | undefined =>
  leftToRight(tokens, product, { "+": (a, b) => a + b, "-": (a, b) => a - b });

const product = (tokens: Tokens): number | undefined =>
  leftToRight(tokens, factor, { "*": (a, b) => a * b, "/": (a, b) => a / b });

const leftToRight = (
  tokens: Tokens,
  operand: (tokens: Tokens) => number | undefined,
  operators: Readonly<Record<string, (a: number, b: number) => number>>,
): number | undefined => {
  let value = operand(tokens);
  for (;;) {
    const apply = operators[String(tokens[0])];
    if (value === undefined || apply === undefined) return value;
    tokens.shift();
    const right = operand(tokens);
    value = right === undefined ? undefined : apply(value, right);
  }
};

const factor = (tokens: Tokens): number | undefined => {
  const token = tokens.shift();
  if (typeof token === "number") return token;
  if (token === "-") {
    const value = factor(tokens);
    return value === undefined ? undefined : -value;
  }
  if (token !== "(") return undefined;
  const value = sum(tokens);
  return tokens.shift() === ")" ? value : undefined;
};
