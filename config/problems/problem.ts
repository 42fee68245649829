import { AppError } from "../../core/contract/app-error.ts";

/** Path from the root of the file to a value: map keys and list indexes. */
export type KeyPath = readonly (string | number)[];

/**
 * Formats a path as `agents[0].model`. A key that does not look like a name is masked: after a missing quote it may be
 * part of a secret, so only the line number identifies it.
 */
export const spellPath = (path: KeyPath): string =>
  path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (!/^(\$\{\w+\}|[a-z0-9][\w-]{0,39})$/.test(step)) return "[…]";
      return index === 0 ? step : `.${step}`;
    })
    .join("");

export const valueAt = (root: unknown, path: KeyPath): unknown => {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
};

/** A problem at a path; parseConfig adds the line number. */
export interface Problem {
  readonly path: KeyPath;
  readonly message: string;
  /** Set only if the line cannot be found by the path. */
  readonly line?: number;
}

/** One problem to fix. Messages never contain values of the file or the environment, which may be secrets. */
export interface ConfigProblem {
  /** Such as `channels.web.agent`; empty if the problem concerns the whole file. */
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** Lists every problem of an invalid configuration. */
export class ConfigInvalid extends AppError {
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(
      "bad-configuration",
      [`${file} has ${count}:`, ...problems.map((problem) => `  ${spell(problem)}`)].join("\n"),
    );
    this.problems = problems;
  }
}

const spell = ({ path, line, message }: ConfigProblem): string => {
  const location = [path, line === undefined ? "" : `(line ${line})`].filter((part) => part !== "").join(" ");
  return location === "" ? message : `${location}: ${message}`;
};
