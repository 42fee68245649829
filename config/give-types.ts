import { Config } from "./config.ts";
import { type KeyPath, spellPath, valueAt } from "./key-path.ts";
import { type Issue, leafIssues } from "./leaf-issues.ts";
import type { Substituted } from "./substitute-env.ts";

/** Variables are text. Where the schema wants a number or a switch and the text is one, it becomes one. */
export const giveTypes = ({ value, wholly }: Substituted): unknown => {
  if (wholly.size === 0) return value;
  const typed = structuredClone(value);
  for (const { path, issue } of leafIssues(Config.safeParse(value).error?.issues ?? [])) {
    if (!wholly.has(spellPath(path))) continue;
    const read = readAs(expectedBy(issue), valueAt(typed, path));
    if (read !== undefined) setAt(typed, path, read);
  }
  return typed;
};

const expectedBy = (issue: Issue): string | undefined => {
  if (issue.code === "invalid_type") return issue.expected;
  return issue.code === "invalid_value" ? typeof issue.values[0] : undefined;
};

const readAs = (expected: string | undefined, text: unknown): number | boolean | undefined => {
  if (typeof text !== "string") return undefined;
  if (expected === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return (expected === "number" || expected === "int") && /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined;
};

const setAt = (root: unknown, path: KeyPath, value: unknown): void => {
  const last = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (last !== undefined && typeof parent === "object" && parent !== null) Reflect.set(parent, last, value);
};
