import { checkCredentials } from "./check-credentials.ts";
import { checkReferences } from "./check-references.ts";
import { Config } from "./config.ts";
import { ConfigInvalid, type ConfigProblem } from "./config-invalid.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { describeIssue } from "./describe-issue.ts";
import { giveTypes } from "./give-types.ts";
import { type KeyPath, spellPath } from "./key-path.ts";
import { leafIssues } from "./leaf-issues.ts";
import type { Problem } from "./problem.ts";
import { readYaml } from "./read-yaml.ts";
import { type Environment, substituteEnv } from "./substitute-env.ts";

export interface ConfigSource {
  /** How messages call it. */
  readonly file: string;
  readonly text: string;
  readonly env: Environment;
}

/** Throws ConfigInvalid with every problem there is. */
export const parseConfig = ({ file, text, env }: ConfigSource): Config => {
  const yaml = readYaml(text);
  const refuse = (problems: readonly Problem[]): never => {
    throw new ConfigInvalid(
      file,
      problems.map((problem) => locate(problem, yaml.lineOf)).sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    );
  };
  if (yaml.problems.length > 0) return refuse(yaml.problems);

  const filled = substituteEnv(yaml.value, env);
  const value = giveTypes(filled);
  const parsed = Config.safeParse(value);
  const unset = new Set(filled.problems.map(({ path }) => spellPath(path)));
  const own = leafIssues(parsed.error?.issues ?? []).flatMap((issue) => describeIssue(issue, value));
  const reported = new Set(own.map(({ path }) => spellPath(path)));
  const problems = [
    ...own,
    ...checkReferences(value),
    ...checkCredentials(value).filter(({ path }) => !reported.has(spellPath(path))),
  ].filter(({ path }) => !unset.has(spellPath(path)));
  if (!parsed.success || unset.size > 0 || problems.length > 0) return refuse([...filled.problems, ...problems]);
  return deepFreeze(parsed.data);
};

const locate = ({ path, message, line }: Problem, lineOf: (path: KeyPath) => number | undefined): ConfigProblem => {
  const at = line ?? lineOf(path);
  return { path: spellPath(path), ...(at !== undefined && { line: at }), message };
};
