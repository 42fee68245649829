import { suggest } from "../core/contract/suggest.ts";
import { valueAt } from "./key-path.ts";
import { knownKeys } from "./known-keys.ts";
import type { Issue, LeafIssue } from "./leaf-issues.ts";
import type { Problem } from "./problem.ts";

/** What is wrong and what to do about it, in the words of somebody who edits the file. */
export const describeIssue = ({ path, issue }: LeafIssue, root: unknown): Problem[] => {
  const value = valueAt(root, path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(path, root);
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, known) }));
    }
    case "invalid_type":
      return [{ path, message: demand(value, nameOfKind(issue.expected)) }];
    case "invalid_value":
      return [{ path, message: demand(value, oneOf(issue.values.map(quote)), issue.values.map(String)) }];
    case "invalid_union": {
      const options = "options" in issue && Array.isArray(issue.options) ? issue.options.map(String) : undefined;
      return [{ path, message: demand(value, oneOf(options?.map(quote) ?? alternatives(issue.errors)), options) }];
    }
    case "too_small":
      return [
        { path, message: issue.minimum === 1 ? notEmpty(issue.origin) : bound("least", issue.minimum, issue.origin) },
      ];
    case "too_big":
      return [{ path, message: bound("most", issue.maximum, issue.origin) }];
    default:
      return [{ path, message: issue.message }];
  }
};

const unknownKey = (key: string, known: readonly string[]): string => {
  const meant = suggest(key, known);
  if (meant !== undefined) return `is an unknown key; did you mean ${quote(meant)}?`;
  return `is an unknown key: remove it${known.length === 0 ? "" : `; known here are ${known.join(", ")}`}`;
};

const demand = (value: unknown, wanted: string, options: readonly string[] = []): string => {
  if (value === undefined) return `is missing: it must be ${wanted}`;
  if (value === null) return `is empty: it must be ${wanted}`;
  if (wanted === TEXT && typeof value !== "object") return "must be text: put it in quotes";
  const meant = typeof value === "string" ? suggest(value, options) : undefined;
  return `must be ${wanted}${meant === undefined || options.length === 1 ? "" : `; did you mean ${quote(meant)}?`}`;
};

const TEXT = "text";
const KINDS: Readonly<Record<string, string>> = {
  string: TEXT,
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys and values",
  record: "a map of keys and values",
};
const nameOfKind = (expected: string): string => KINDS[expected] ?? expected;

const alternatives = (branches: readonly (readonly Issue[])[]): string[] =>
  branches.flatMap(([first]) => {
    if (first?.code === "invalid_value") return first.values.map(quote);
    return first?.code === "invalid_type" ? [nameOfKind(first.expected)] : [];
  });

const quote = (value: unknown): string => JSON.stringify(value) ?? String(value);

const oneOf = (choices: readonly string[]): string =>
  choices.length < 2 ? (choices[0] ?? "something else") : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;

const notEmpty = (origin: string): string => {
  if (origin === "string") return "must not be empty";
  return origin === "array" ? "must have at least one entry" : "must be at least 1";
};

const bound = (side: "least" | "most", limit: number | bigint, origin: string): string => {
  const unit = origin === "string" ? " characters" : origin === "array" ? " entries" : undefined;
  return unit === undefined ? `must be at ${side} ${limit}` : `must have at ${side} ${limit}${unit}`;
};
