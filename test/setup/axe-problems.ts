import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Sending the passed checks to the test, and naming their elements, took two thirds of the time of a run. */
const VIOLATIONS_ONLY = { resultTypes: ["violations"], selectors: false };

/** Accessibility problems, including best practices; with a rule, only those of that rule. */
export const axeProblems = async (page: Page, rule?: string): Promise<string[]> => {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${axe}; undefined`);
  const options = { ...VIOLATIONS_ONLY, ...(rule !== undefined && { runOnly: [rule] }) };
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
};
