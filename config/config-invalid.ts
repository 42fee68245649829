import { AppError } from "../core/contract/app-error.ts";

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
