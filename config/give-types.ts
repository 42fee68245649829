import { Config } from "./config.ts";
import { type KeyPath, spellPath, valueAt } from "./key-path.ts";
import { leafIssues } from "./leaf-issues.ts";
import type { Substituted } from "./substitute-env.ts";

/** Variables are text. Where the schema wants a number or a switch and the text is one, it becomes one. */
export const giveTypes = ({ value, wholly }: Substituted): unknown => {
  if (wholly.size === 0) return value;
  const typed = structuredClone(value);
  for (const { path, issue } of leafIssues(Config.safeParse(value).error?.issues ?? [])) {
    if (issue.code !== "invalid_type" || !wholly.has(spellPath(path))) continue;
    const read = readAs(issue.expected, valueAt(typed, path));
    if (read !== undefined) setAt(typed, path, read);
  }
  return typed;
};

const readAs = (expected: string, text: unknown): number | boolean | undefined => {
  if (typeof text !== "string") return undefined;
  if (expected === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  return ["number", "int"].includes(expected) && /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined;
};

const setAt = (root: unknown, path: KeyPath, value: unknown): void => {
  const last = path.at(-1);
  const parent = valueAt(root, path.slice(0, -1));
  if (last !== undefined && typeof parent === "object" && parent !== null) Reflect.set(parent, last, value);
};
