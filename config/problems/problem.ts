import { AppError } from "../../core/contract/app-error.ts";

/** The way from the top of the file to a value: keys of maps, positions in lists. */
export type KeyPath = readonly (string | number)[];

/**
 * As people write it: `agents[0].model`. A key that is no name may be a secret that a missing quote made a key: the line
 * number has to do.
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

/** Something wrong at a path; where that is in the file is looked up at the end. */
export interface Problem {
  readonly path: KeyPath;
  readonly message: string;
  /** Only if it cannot be looked up by the path. */
  readonly line?: number;
}

/** One thing to fix. No message shows a value of the file or the environment: it might be a secret. */
export interface ConfigProblem {
  /** As people write it: `channels.web.agent`; empty for the file as a whole. */
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}

/** A configuration that cannot be used, with everything that is wrong with it. */
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
  const place = [path, line === undefined ? "" : `(line ${line})`].filter((part) => part !== "").join(" ");
  return place === "" ? message : `${place}: ${message}`;
};
