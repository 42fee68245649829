import type { z } from "zod";
import { type Issue, leafIssues } from "../problems/describe-issue.ts";
import { type KeyPath, type Problem, spellPath, valueAt } from "../problems/problem.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a file that the configuration names; a problem says what to do, without a value. */
export type ReadSecretFile = (path: string) => { readonly text: string } | { readonly problem: string };

export interface ReferenceSources {
  readonly env: Environment;
  readonly readSecretFile: ReadSecretFile;
}

interface Substituted {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /**
   * The references that are the whole value of a path, as the configuration spells them; their text may stand for a
   * number or boolean.
   */
  readonly references: ReadonlyMap<string, string>;
  /** The files that values name, each once, as the configuration spells them. */
  readonly secretFiles: readonly string[];
}

/** `$${` is an escaped `${`. Any other `${` must begin a reference to a variable or a file. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\}|file:([^}\p{Cc}]{1,1024})\})?/gu;
const WHOLE_VALUE = /^\$\{(?:\w+|file:[^}\p{Cc}]+)\}$/u;

/**
 * Replaces `${NAME}` and `${file:PATH}` in parsed strings, not in the YAML text or in keys, so that no value is read as
 * YAML syntax. A substituted text is not searched for references.
 */
export const substituteReferences = (root: unknown, { env, readSecretFile }: ReferenceSources): Substituted => {
  const problems: Problem[] = [];
  const references = new Map<string, string>();
  const secretFiles = new Set<string>();

  const resolve = (name: string | undefined, file: string | undefined): ReturnType<ReadSecretFile> => {
    if (name !== undefined) return readVariable(name, env[name]);
    if (file === undefined || file !== file.trim()) return { problem: MALFORMED };
    secretFiles.add(file);
    return readSecretFile(file);
  };
  const fill = (text: string, path: KeyPath): string => {
    if (WHOLE_VALUE.test(text)) references.set(spellPath(path), text);
    return text.replace(REFERENCE, (reference, name: string | undefined, file: string | undefined) => {
      if (reference === "$${") return "${";
      const found = resolve(name, file);
      if ("text" in found) return found.text;
      problems.push({ path, message: found.problem });
      return reference;
    });
  };
  const walk = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") return fill(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { value: walk(root, []), problems, references, secretFiles: [...secretFiles] };
};

const MALFORMED =
  "${ must be followed by the name of an environment variable, or by file: and a path, and }: correct it, or write $${ " +
  "for a literal ${";

const readVariable = (name: string, value: string | undefined): ReturnType<ReadSecretFile> => {
  const needs = `needs the environment variable ${name}`;
  if (value === undefined) return { problem: `${needs}, which is not set: set it and start again` };
  if (value === "") return { problem: `${needs}, which is empty: give it a value` };
  return { text: value };
};

/** References are text; this converts them where the schema expects a number or boolean and the text is one. */
export const convertTypes = ({ value, references }: Substituted, schema: z.ZodType): unknown => {
  if (references.size === 0) return value;
  const typed = structuredClone(value);
  for (const { path, issue } of leafIssues(schema.safeParse(value).error?.issues ?? [])) {
    if (!references.has(spellPath(path))) continue;
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
