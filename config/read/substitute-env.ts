import { type Issue, leafIssues } from "../problems/describe-issue.ts";
import { type KeyPath, type Problem, spellPath, valueAt } from "../problems/problem.ts";
import { Config } from "../schema/config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface Substituted {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Paths whose whole value is one variable, so that their text may stand for a number or boolean. */
  readonly wholeValues: ReadonlySet<string>;
}

/** `$${` is an escaped `${`. Any other `${` must begin a variable reference. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g;

/** Replaces `${NAME}` in parsed strings, not in the YAML text or in keys, so that no value is read as YAML syntax. */
export const substituteEnv = (root: unknown, env: Environment): Substituted => {
  const problems: Problem[] = [];
  const wholeValues = new Set<string>();

  const fill = (text: string, path: KeyPath): string => {
    if (/^\$\{\w+\}$/.test(text)) wholeValues.add(spellPath(path));
    return text.replace(REFERENCE, (reference, name: string | undefined) => {
      if (reference === "$${") return "${";
      const message = name === undefined ? MALFORMED : missing(name, env[name]);
      if (message !== undefined) problems.push({ path, message });
      return (name !== undefined && env[name]) || reference;
    });
  };
  const walk = (value: unknown, path: KeyPath): unknown => {
    if (typeof value === "string") return fill(value, path);
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, [...path, key])]));
  };
  return { value: walk(root, []), problems, wholeValues };
};

const MALFORMED =
  "${ must be followed by the name of an environment variable and }: correct it, or write $${ for a literal ${";

const missing = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return `needs the environment variable ${name}, which is not set: set it and start again`;
  if (value === "") return `needs the environment variable ${name}, which is empty: give it a value`;
  return undefined;
};

/** Variables are text; this converts them where the schema expects a number or boolean and the text is one. */
export const convertTypes = ({ value, wholeValues }: Substituted): unknown => {
  if (wholeValues.size === 0) return value;
  const typed = structuredClone(value);
  for (const { path, issue } of leafIssues(Config.safeParse(value).error?.issues ?? [])) {
    if (!wholeValues.has(spellPath(path))) continue;
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
