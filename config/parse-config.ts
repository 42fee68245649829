import { checkCredentials } from "./problems/check-credentials.ts";
import { checkReferences } from "./problems/check-references.ts";
import { checkRights } from "./problems/check-rights.ts";
import { describeIssue, leafIssues } from "./problems/describe-issue.ts";
import { ConfigInvalid, type ConfigProblem, type KeyPath, type Problem, spellPath } from "./problems/problem.ts";
import { readYaml } from "./read/read-yaml.ts";
import { convertTypes, type Environment, substituteEnv } from "./read/substitute-env.ts";
import { Config } from "./schema/config.ts";

interface ConfigSource {
  /** Shown in error messages. */
  readonly file: string;
  readonly text: string;
  readonly env: Environment;
}

/** Throws ConfigInvalid with all problems at once. */
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
  const value = convertTypes(filled);
  const parsed = Config.safeParse(value);
  const unset = new Set(filled.problems.map(({ path }) => spellPath(path)));
  const own = leafIssues(parsed.error?.issues ?? []).flatMap((issue) => describeIssue(issue, value));
  const reported = new Set(own.map(({ path }) => spellPath(path)));
  const problems = [
    ...own,
    ...checkReferences(value),
    ...checkRights(value),
    ...checkCredentials(value).filter(({ path }) => !reported.has(spellPath(path))),
  ].filter(({ path }) => !unset.has(spellPath(path)));
  if (!parsed.success || unset.size > 0 || problems.length > 0) return refuse([...filled.problems, ...problems]);
  return deepFreeze(parsed.data);
};

const locate = ({ path, message, line }: Problem, lineOf: (path: KeyPath) => number | undefined): ConfigProblem => {
  const at = line ?? lineOf(path);
  return { path: spellPath(path), ...(at !== undefined && { line: at }), message };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
};
