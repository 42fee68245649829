import type { z } from "zod";
import { suggest } from "../../core/contract/suggest.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type KeyPath, type Problem, valueAt } from "./problem.ts";

export type Issue = z.core.$ZodIssue;

interface LeafIssue {
  /** From the root of the file. */
  readonly path: KeyPath;
  readonly issue: Issue;
}

/** Flattens zod's issues. For a union it keeps only the issues of the alternative that fits the value best. */
export const leafIssues = (issues: readonly Issue[], at: KeyPath = []): LeafIssue[] =>
  issues.flatMap((issue) => {
    const path = [...at, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
    if (issue.code === "invalid_key" || issue.code === "invalid_element") return leafIssues(issue.issues, path);
    const meant = issue.code === "invalid_union" ? likeliest(issue.errors) : undefined;
    return meant === undefined ? [{ path, issue }] : leafIssues(meant, path);
  });

/** Picks, among the alternatives that accept this kind of value, the one with the fewest issues. */
const likeliest = (alternatives: readonly (readonly Issue[])[]): readonly Issue[] | undefined =>
  alternatives
    .filter((issues) => !issues.some(isOtherKind))
    .sort((a, b) => a.length - b.length)
    .at(0);

const isOtherKind = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value");

/** Translates a zod issue: what is wrong, and what to change in the file. `schemaOf`: valid files do not need it. */
export const describeIssue = ({ path, issue }: LeafIssue, root: unknown, schemaOf: () => JsonSchema): Problem[] => {
  const value = valueAt(root, path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = knownKeys(path, root, schemaOf());
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, known) }));
    }
    case "invalid_type":
      return [{ path, message: mustBe(value, nameOfKind(issue.expected)) }];
    case "invalid_value":
      return [{ path, message: mustBe(value, oneOf(issue.values.map(quote)), issue.values.map(String)) }];
    case "invalid_union": {
      const options = "options" in issue && Array.isArray(issue.options) ? issue.options.map(String) : undefined;
      return [{ path, message: mustBe(value, oneOf(options?.map(quote) ?? alternatives(issue.errors)), options) }];
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
  return `is an unknown key: remove it${known.length === 0 ? "" : `; known keys are ${known.join(", ")}`}`;
};

const mustBe = (value: unknown, expected: string, options: readonly string[] = []): string => {
  if (value === undefined) return `is missing: it must be ${expected}`;
  if (value === null) return `is empty: it must be ${expected}`;
  if (expected === TEXT && typeof value !== "object") return "must be text: put it in quotes";
  const meant = typeof value === "string" ? suggest(value, options) : undefined;
  return `must be ${expected}${meant === undefined || options.length === 1 ? "" : `; did you mean ${quote(meant)}?`}`;
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

/** The keys allowed at this path, given the discriminators in the file (`adapter`, `role`). */
const knownKeys = (path: KeyPath, root: unknown, fileSchema: JsonSchema): string[] => {
  let schemas = fitting(fileSchema, root);
  path.forEach((step, index) => {
    const value = valueAt(root, path.slice(0, index + 1));
    schemas = schemas.flatMap((schema) => inside(schema, step)).flatMap((schema) => fitting(schema, value));
  });
  return [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties ?? {})))];
};

const inside = (schema: JsonSchema, step: string | number): JsonSchema[] =>
  [schema.properties?.[step] ?? schema.additionalProperties, schema.items].flat().filter(isSchema);

/** The schema, or those of its alternatives that the value's discriminators allow. */
const fitting = (schema: JsonSchema, value: unknown): JsonSchema[] => {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives === undefined) return isRuledOut(schema, value) ? [] : [schema];
  return alternatives.flatMap((alternative) => fitting(alternative, value));
};

const isRuledOut = (schema: JsonSchema, value: unknown): boolean =>
  Object.entries(schema.properties ?? {}).some(
    ([key, property]) => isSchema(property) && "const" in property && property.const !== valueAt(value, [key]),
  );

const isSchema = (schema: unknown): schema is JsonSchema => typeof schema === "object" && schema !== null;
