import { type KeyPath, spellPath } from "./key-path.ts";
import type { Problem } from "./problem.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Substituted {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Spelled paths of values that are one variable and nothing else: a number is still text there. */
  readonly wholly: ReadonlySet<string>;
}

/** `$${` stands for a plain `${`. Whatever else begins with `${` must be the name of a variable. */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g;

/** Fills `${NAME}` in the parsed strings, never in keys: so a value can hold any character without being read as YAML. */
export const substituteEnv = (root: unknown, env: Environment): Substituted => {
  const problems: Problem[] = [];
  const wholly = new Set<string>();

  const fill = (text: string, path: KeyPath): string => {
    if (/^\$\{\w+\}$/.test(text)) wholly.add(spellPath(path));
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
  return { value: walk(root, []), problems, wholly };
};

const MALFORMED = "${ must be followed by the name of an environment variable and }; write $${ for a plain ${";

const missing = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return `wants the environment variable ${name}, which is not set: set it and start again`;
  if (value === "") return `wants the environment variable ${name}, which is empty: give it a value`;
  return undefined;
};
